# SPDX-License-Identifier: Apache-2.0
"""The marks that tools of CI print between the steps of a build, for both renderers.

A row is a tool and a pattern, matched where a line's content begins: behind its time and blanks. The
patterns are as in `causes`.
"""

#: A verdict that is itself the cause: the step was stopped.
STOPPED = rb"""
travis+timeout .*" exited with 124\.
gitlab* ERROR: Job failed: execution took longer than
"""
#: A verdict that says that the step failed, or the whole build.
FAILED = rb"""
travis .*" (?:failed and )?exited with [1-9]\d*(?:\.| during)
travis The command ".*" failed
travis* Your build has been stopped
github+azure* (?:##\[error\]|Error: )(?:Process completed with exit code|The operation was cancel)
github+azure* (?:##\[error\]|Error: )(?:Bash|PowerShell|Cmd\.exe|The process '.*') (?:exited|failed) with
jenkins* Build step '.*' marked build as failure
jenkins* (?:ERROR: )?script returned exit code [1-9]
jenkins* Finished: (?:FAILURE|ABORTED)
gitlab* ERROR: Job failed
appveyor* Command exited with code [1-9]
circleci* Exited with code (?:exit status )?[1-9]
zuul* \[Zuul\] Task exit code: [1-9]
"""
#: A verdict that says that the step passed, or that its failure does not matter.
PASSED = rb"""
travis .*" exited with 0\.
zuul* \[Zuul\] Task exit code: 0
ansible* \.\.\.ignoring$
"""
#: The first line of a step.
BEGINS = rb"""
github ##\[group\]Run[ ]
azure* ##\[section\]Starting:
jenkins* \[Pipeline\] (?:\{ \(|stage)
jenkins* \[[\w.@-]+\] \$[ ]
ansible* TASK \[
"""
#: The end of a step's own text, before its output.
SHOWN = rb"""
github ##\[endgroup\]
"""
#: Travis writes this mark at the beginning of a step, and then over it.
OVERWRITTEN = b"travis_time:start"
#: Travis echoes a command behind these bytes.
ECHO = b"\x1b[0K$ "
#: The last line of a log that passed.
HEALTHY = rb"""
jenkins* Finished: SUCCESS
travis Done\. Your build exited with 0
gitlab* Job succeeded$
"""
#: What may follow a line's time, before its content: brackets, and the node in Zuul's console.
BEHIND_TIME = rb"[\])]?[ \t]?(?:\| (?:[\w.-]+ \| )?)?[ \t]*"
