# SPDX-License-Identifier: Apache-2.0
"""What differs in a line from run to run, for fingerprints."""

import re

#: Characters of a line that count.
REACH = 400

#: In the order in which they are tried at a place of the text.
_VARYING = re.compile(
    r"""
    (?P<kept>
        (?i:\b(?:exit(?:ed)?|exit[ -]?code|returned|returncode|return[ ]code|rc|status|code|errno|signal|HTTP|
            status_?code|WinError|HRESULT|SQLSTATE|error[ ]code|err_?code|retval|answered)\b
            (?:[ ](?:code|status|value|with|a|non-zero|error|response)){0,3}
            ["']? [ :=(\[]{0,4} -?(?:0x[0-9a-f]{1,8}|\d{1,10})\b)
        | (?i:\b(?:expected|actual|received|got|want|left|right|but[ ]was|to[ ]equal|asserting[ ]that|matches|
            Which[ ]is)
            [ ]{0,3}:?[ ]{0,3}
            [<(]?(?:[1-5]\d\d(?![.,:]?\w)|\d{1,3}(?=[>.]?$|>|[ ](?:to|but|matches)\b)))
        | (?<![\w.,:])\d{1,3}(?=[ ][!=]=)
        | (?<=[!=]=[ ])\d{1,3}(?![.,:]?\w)
        | (?<=\bassert[ ])\d{1,3}(?=[ ](?:not[ ]in|in|is|[<>]=?)[ ])
        | ^\d{1,3}$
        | (?i:\berror)(?:[ ][1-5]\d\d\b|:?[ ]\#?\d{1,5}(?=$|[.,:;)\]]))
        | \bResponse[ ]\[[1-5]\d\d\]
        | (?<=['"`])[A-Za-z]\d{1,3}(?=['"`])
        | \bHTTP/\d(?:\.\d)?(?:[ ][1-5]\d\d\b)?
        | \b[1-5]\d\d(?=[ ](?:Client|Server)[ ]Error)
        | \bcurl:[ ]\(\d{1,3}\)
        | \bERROR[ ]\d{4}[ ]\(\w{5}\)
        | \bCVE-\d{4}-\d{1,7}
        | (?<=\w)[=~<>]=\d[\w.]{0,30}
        | (?<![\w/.-])(?:(?!PR-)[A-Z]{1,6}-?\d{2,5}|[A-Z]{1,6}\d)(?![\w-])
    )
    | \d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?
    | /(?:private/)?var/folders/[^\s/]{1,64}/[^\s/]{1,64}
    | /builds/[\w-]{6,16}/\d{1,4}(?=/)
    | \brunner-[\w-]{6,16}-project-\d{1,10}-concurrent-\d{1,4}
    | \bfv-az\d{1,5}-\d{1,5}\b
    | (?<=[/\\]_temp[/\\])[^\s/'"<>|:;,)\]\\]{1,200}
    | (?<=\d-)g[0-9a-f]{7,40}\b
    | (?:\d{1,4}[dhm]){1,3}\d{1,6}(?:\.\d{1,9})?(?=s\b)
    | /(?:var/)?tmp/[^\s/'"<>|:;,)\]]{1,200}
    | \btmp(?=\w*[\d_])\w{3,64}
    | \btmp-\d{1,10}-?[A-Za-z0-9]{4,20}(?!\w)
    | (?<=\w)-(?=[a-z]{0,9}\d)[bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}(?![\w-])
    | \b0x[0-9a-fA-F]{1,16}\b
    | \b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b
    | (?<![^\W_])(?=[a-fA-F]{0,64}\d)[0-9a-fA-F]{7,64}(?![^\W_])
    | \b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?=[ ](?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ ])
    | \b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b(?=[ ,]{1,2}\d)
    | (?<=\d[ -])(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b
    | (?P<name>\b[A-Za-z_][A-Za-z_.]{1,64}\d{1,3}(?!\w))
    | \d+(?:[.,:]\d+){0,16}(?=[ ]?(?:ms|s|sec|seconds|m|min|minutes)\b)
    | (?P<number>\d+(?:[.,:]\d+){0,16})
    """,
    re.VERBOSE | re.ASCII,
)
#: The number of a test among those of its run, before its name.
_PLACE = re.compile(r"^\d+\) |^\d+ - |(?<=^not ok )\d+ |(?<=^── )\d+\. ")
#: The line of a file in a test's name, but not a port among its parameters.
_LINE = re.compile(r"(\.[A-Za-z]\w{0,7})(?::\d+(?::\d+)?| @ \d+)\b(?![^\[]*\])")
#: A frame of Python's stack. Where the code is installed, and the line, differ from run to run.
_FRAME = re.compile(r'^File "(?:[^"]*[/\\])?([^"/\\]+)", line \d+')
#: The copy of a workspace of Jenkins that a build got because others use the first one.
_COPY = re.compile(r"(/workspace/[^\s/@]{1,200})@(?:\d{1,3}(?:@tmp)?|tmp)(?![\w.@-])")
#: The worker that ran a test, in the report of pytest-xdist.
WORKER = re.compile(r"\[gw\d+\] ")
_BLANKS = re.compile(r"\s+")


def normalised(line: str, is_name: bool = False) -> str:
    """The line without what differs from run to run. is_name: it names a test, whose numbers stay, but for its own."""

    def kept(found: re.Match[str]) -> str:
        stays = found["kept"] or found["name"] or (is_name and found["number"])
        return found[0] if stays else "#"

    line = line[:REACH]
    if is_name:
        line = _LINE.sub(r"\1", _PLACE.sub("", line))
    line = _COPY.sub(r"\1", _FRAME.sub(r'File "\1"', line))
    return _BLANKS.sub(" ", _VARYING.sub(kept, line)).strip()
