# SPDX-License-Identifier: Apache-2.0
# Only bootstraps: what is tested is in tox.ini, what is run is `oslogserve serve`.
#
#   make test                 all checks, a quarter of an hour; ENV=unit for one of them
#   make run                  serve demo logs; LOGS=DIR for your own, PORT=N for another port
#   make run SWIFT=1          the same logs out of a real Swift too
#   make faults               the fault matrix; ARGS="--only PATTERN" for some of it
#   make soak                 readers while Swift's servers are restarted; ARGS="--seconds N"
#   make attacks              what attacks cost a worker and other readers; ARGS="--only PATTERN"
#   make fuzz                 hostile input to all that reads it; ARGS="--seconds N --only NAME"
#   make accuracy             oslogserve bench beside the truth and beside wrk; ARGS="--only PATTERN"
#   make bench                the benchmark; ARGS="..." for its options, ARGS=--help shows them
#   make experiments          renew the figures of doc/experiments.rst; ARGS="sizes cold" for some of them
#   make wheels               wheels of oslogserve and its native core, in dist/;
#                             ARCHS="x86_64 aarch64" for those of other machines
#   make sbom                 what they are made of, as CycloneDX, in dist/
#   make audit                asks for known weaknesses of it; 75: the services could not be asked
#   make docs                 the manual, in build/html, and the man pages, in build/man
#   make acceptance           the manual's commands on a clean Debian, as root; ARGS=--test with `make test` there
#   make lock                 renew requirements/*.txt, which all of the above install with their hashes
#   make screenshot           the README's pictures, doc/job.png and doc/page.png
#   make clean                remove all that these made

SHELL = /bin/bash
LOCKED = pip install --quiet --require-hashes
PYTHON ?= python3
RUN = .venv/run
LOGS ?= var/demo
PORT ?= 8000

test: said-tests .venv/bootstrap/installed $(if $(filter lint types docs,$(ENV)),,.venv/speedups/built)
	$(if $(filter unit pure lint types docs,$(ENV)),,tools/install-system-packages)
	.venv/bootstrap/bin/tox run $(if $(ENV),-e $(ENV))

said-tests:
	@tools/say-tests $(ENV)

faults soak attacks: .venv/bootstrap/installed .venv/speedups/built
	.venv/bootstrap/bin/tox run -e $@ $(if $(ARGS),-- $(ARGS))

experiments: .venv/bootstrap/installed .venv/speedups/built
	tools/install-system-packages xfsprogs
	.venv/bootstrap/bin/tox run -e $@ $(if $(ARGS),-- $(ARGS))

fuzz: .venv/bootstrap/installed .venv/speedups-checked/built
	.venv/bootstrap/bin/tox run -e $@ $(if $(ARGS),-- $(ARGS))

accuracy: .venv/bootstrap/installed .venv/speedups/built
	tools/install-system-packages wrk
	.venv/bootstrap/bin/tox run -e $@ $(if $(ARGS),-- $(ARGS))

run: $(RUN)/installed $(RUN)/installed-native $(if $(SWIFT),$(RUN)/installed-swift) $(if $(filter var/demo,$(LOGS)),var/demo.written)
	tools/run $(if $(SWIFT),--swift) $(RUN) "$(LOGS)" $(PORT)

bench: $(RUN)/installed-bench $(RUN)/installed-native $(if $(findstring swift,$(ARGS)),$(RUN)/installed-swift)
	tools/install-system-packages nginx-light wrk
	$(RUN)/bin/python -m benchmarks $(ARGS)

screenshot: $(RUN)/installed-screenshot var/demo.written
	tools/install-system-packages chromium
	$(RUN)/bin/python tools/screenshot

# The pure one by way of an sdist: a wheel built in the checkout keeps modules that are gone from it.
wheels: .venv/bootstrap/installed $(if $(ARCHS),.venv/bootstrap/installed-cross)
	rm -f dist/oslogserve-*
	.venv/bootstrap/bin/python -m build --no-isolation --outdir dist
	tools/build-wheels .venv/bootstrap/bin dist $(ARCHS)

acceptance:
	tools/install-system-packages debootstrap systemd-container
	$(PYTHON) -m tests.acceptance $(ARGS)

lock audit docs: .venv/bootstrap/installed
	.venv/bootstrap/bin/tox run -e $@

sbom: wheels
	.venv/bootstrap/bin/tox run -e sbom

clean:
	rm -rf .venv .tox var build dist speedups/target *.egg-info .mypy_cache .pytest_cache .ruff_cache

# Again where what it installs has changed.
.venv/bootstrap/installed: requirements/bootstrap.txt requirements/build.txt .venv/bootstrap/made
	.venv/bootstrap/bin/$(LOCKED) $(patsubst %,--requirement %,$(filter %.txt,$^))
	touch $@

.venv/bootstrap/installed-cross: requirements/cross.txt .venv/bootstrap/installed
	.venv/bootstrap/bin/$(LOCKED) --requirement $<
	touch $@

.venv/speedups/built .venv/speedups-checked/built: $(wildcard speedups/src/*.rs speedups/*.toml) | .venv/bootstrap/installed
	tools/build-speedups .venv/bootstrap/bin/maturin $(@D) $(if $(findstring checked,$@),checked,release)
	[ ! -e $(@D)/*.whl ] || touch $@

$(RUN)/installed: requirements/run.txt requirements/build.txt setup.cfg $(RUN)/made
	$(RUN)/bin/$(LOCKED) --requirement requirements/run.txt --requirement requirements/build.txt
	$(RUN)/bin/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

$(RUN)/installed-native: .venv/speedups/built $(RUN)/installed
	tools/install-speedups $(RUN)/bin/python
	[ ! -e .venv/speedups/*.whl ] || touch $@

$(RUN)/installed-swift: requirements/servers.txt $(RUN)/installed
$(RUN)/installed-bench: requirements/benchmarks.txt requirements/test.txt $(RUN)/installed
$(RUN)/installed-screenshot: requirements/browser.txt $(RUN)/installed
$(RUN)/installed-%:
	$(RUN)/bin/$(LOCKED) $(patsubst %,--requirement %,$(filter %.txt,$^))
	touch $@

var/demo.written: oslogserve/demo.py oslogserve/demo.txt | $(RUN)/installed
	$(RUN)/bin/oslogserve demo var/demo
	touch $@

# An environment whose making was broken off, or whose Python is gone, is made again.
$(shell for made in .venv/*/made; do \
  "$${made%made}bin/python" -c 'import pip' 2>/dev/null || rm -f "$$made"; done)
.venv/%/made:
	tools/make-venv $(PYTHON) $(@D)
	touch $@

.PHONY: acceptance test said-tests faults soak attacks experiments fuzz accuracy run bench screenshot wheels sbom audit docs lock clean
.PRECIOUS: .venv/%/made
