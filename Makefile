# SPDX-License-Identifier: Apache-2.0
# Only bootstraps: tox.ini says what is tested, `oslogserve serve` is what is run.
#
#   make test                 all checks but the long ones: 6 minutes, 1 GB in .tox and .venv;
#                             ENV=unit for one of lint, types, docs, unit, functional
#   make test-all             all checks, the long ones too: before a release
#   make run                  serve demo logs; LOGS=DIR for your own, PORT=N for another port
#   make run SWIFT=1          serve the same logs from a real Swift too
#   make run STORE=1          serve the same logs from an S3 too
#   make faults               the fault matrix; ARGS="--only PATTERN" for some of it
#   make soak                 readers while Swift's servers are restarted; ARGS="--seconds N"
#   make attacks              cost of attacks to a worker and other readers; ARGS="--only PATTERN"
#   make fuzz                 hostile input to all that reads it; ARGS="--seconds N --only NAME"
#   make accuracy             compare oslogserve bench with known delays and wrk; ARGS="--only PATTERN"
#   make bench                the benchmark; ARGS="..." for its options, ARGS=--help shows them
#   make experiments          renew the figures of doc/experiments.rst; ARGS="sizes cold" for some
#   make wheels               oslogserve's wheels in dist/: for glibc and musl, x86-64 and arm64;
#                             ARCHS=x86_64 for one architecture; and the wheel of oslogserve-mcp
#   make image                the image, by podman or docker
#   make sbom                 list the components of the wheels as CycloneDX, in dist/
#   make audit                ask for known weaknesses of all locked packages; 75: no answer
#   make docs                 the manual, in build/html, and the man pages, in build/man
#   make site                 add this manual to those of other versions, in build/site
#   make release-check        all of a release but the publishing: tests, wheels, components, image; TAG=v1.0.0
#                             asks too whether it may be released by this tag
#   make acceptance           README's commands on a bare Debian 12 and 13, as root and as a user, and
#                             the manual's; ARGS=--help shows its options, --test adds `make test`
#   make lock                 renew requirements/*.txt, the locked packages of all targets
#   make screenshot           the README's pictures, doc/job.png and doc/page.png
#   make clean                remove everything that these made

SHELL = /bin/bash
PYTHON ?= python3
BOOTSTRAP = .venv/bootstrap
TOX = $(BOOTSTRAP)/bin/tox
UV = $(BOOTSTRAP)/bin/uv
RUN = .venv/run
LOGS ?= var/demo
PORT ?= 8000
# uv trusts the system's authorities, as pip does, and knows pip's variable by another name.
export UV_SYSTEM_CERTS ?= 1
ifdef PIP_INDEX_URL
export UV_DEFAULT_INDEX ?= $(PIP_INDEX_URL)
endif

CHECKS = docs types lint unit functional
comma = ,
WANTED = $(or $(subst $(comma), ,$(ENV)),$(CHECKS))

help:
	@sed -n 's/^#   //p' Makefile

test:
	$(if $(and $(filter command,$(firstword $(origin ENV))),$(if $(ENV),,x)),$(error ENV= names nothing: choose from $(CHECKS)))
	$(if $(filter-out $(CHECKS),$(WANTED)),$(error ENV=$(ENV): choose from $(CHECKS)))
	@tools/test $(WANTED)

test-all: export PYTEST_ADDOPTS = -m ""
test-all: .venv/stores/installed
	tools/install-system-packages wrk xfsprogs
	@tools/test $(CHECKS) fuzz faults soak attacks accuracy

early-checks: $(BOOTSTRAP)/installed
	$(TOX) run -e $(EARLY)

test-environments: $(BOOTSTRAP)/installed
	$(TOX) run --notest --skip-pkg-install -e $(TESTS)

cargo: $(BOOTSTRAP)/installed
	tools/install-cargo $(BOOTSTRAP)/bin/python

system-packages:
	tools/install-system-packages

.venv/stores/installed: tools/install-stores $(wildcard requirements/stores/*)
	tools/install-stores $(@D)
	touch $@

faults soak attacks: $(BOOTSTRAP)/installed .venv/wheel/built
	$(TOX) run -e $@ $(if $(ARGS),-- $(ARGS))

experiments: $(BOOTSTRAP)/installed .venv/wheel/built
	tools/install-system-packages nginx-light xfsprogs
	$(TOX) run -e $@ $(if $(ARGS),-- $(ARGS))

fuzz: $(BOOTSTRAP)/installed .venv/wheel-checked/built
	$(TOX) run -e $@ $(if $(ARGS),-- $(ARGS))

accuracy: $(BOOTSTRAP)/installed .venv/wheel/built
	tools/install-system-packages wrk
	$(TOX) run -e $@ $(if $(ARGS),-- $(ARGS))

run:
	$(eval refusal := $(shell tools/check-run "$(LOGS)" "$(PORT)"))$(if $(refusal),$(error $(refusal)))
	@$(MAKE) --no-print-directory ready-to-run
	@tools/run $(if $(SWIFT),--swift,$(if $(STORE),--store)) $(RUN) "$(LOGS)" $(PORT)

ready-to-run: $(RUN)/installed
ready-to-run: $(if $(SWIFT)$(STORE),$(RUN)/installed-swift) $(if $(filter var/demo,$(LOGS)),var/demo.written)

bench: $(RUN)/installed $(RUN)/installed-bench $(if $(findstring swift,$(ARGS)),$(RUN)/installed-swift)
	tools/install-system-packages nginx-light
	$(RUN)/bin/python -m benchmarks $(ARGS)

screenshot: $(RUN)/installed $(RUN)/installed-screenshot var/demo.written
	tools/install-system-packages chromium-headless-shell
	$(RUN)/bin/python tools/screenshot

wheels: $(BOOTSTRAP)/installed
	tools/build-wheels $(BOOTSTRAP)/bin dist $(ARCHS)

acceptance:
	tools/install-system-packages debootstrap systemd-container
	$(PYTHON) -m tests.acceptance $(ARGS)

lock audit docs: $(BOOTSTRAP)/installed
	$(TOX) run -e $@

sbom: wheels
	$(TOX) run -e sbom

image:
	tools/build-image

site: docs
	mkdir -p build/site
	tools/add-to-site build/html build/site

release-ready:
	tools/check-release "$$TAG"

release-files: release-ready sbom
	$(TOX) run -e release

release-check: release-ready
	tools/actionlint
	@tools/test $(CHECKS)
	@$(MAKE) --no-print-directory release-files image

clean:
	rm -rf .venv .tox var build dist core/target *.egg-info oslogserve-mcp/*.egg-info .mypy_cache .pytest_cache .ruff_cache

# Again where what it installs has changed.
$(BOOTSTRAP)/installed: requirements/bootstrap.txt requirements/build.txt $(BOOTSTRAP)/made
	$(BOOTSTRAP)/bin/pip install --quiet --require-hashes $(patsubst %,--requirement %,$(filter %.txt,$^))
	touch $@

$(BOOTSTRAP)/made:
	tools/make-venv $(PYTHON) $(@D)
	touch $@

FIND_SOURCES = find core oslogserve etc -path core/target -prune -o -path core/tests -prune -o -type f -not -name '*.pyc' -print
BUILT_FROM = $(shell $(FIND_SOURCES)) setup.cfg pyproject.toml MANIFEST.in
# It changes with the list: that a file is gone, the time of no other one tells.
.venv/built-from: list-of-sources
	@mkdir -p $(@D)
	@$(FIND_SOURCES) | sort | cmp --silent - $@ || $(FIND_SOURCES) | sort >$@

.venv/wheel/built .venv/wheel-checked/built: .venv/built-from $(BUILT_FROM) | $(BOOTSTRAP)/installed
	tools/build-wheel $(BOOTSTRAP)/bin $(@D) $(if $(findstring checked,$@),checked,release)
	touch $@

$(RUN)/made: requirements/run.txt setup.cfg | $(BOOTSTRAP)/installed
	$(UV) venv --quiet --clear --python $(PYTHON) $(RUN)
	$(UV) pip install --quiet --python $(RUN) --require-hashes --requirement requirements/run.txt
	touch $@

$(RUN)/installed: .venv/wheel/built $(RUN)/made
	$(UV) pip install --quiet --python $(RUN) --reinstall --no-deps --no-index .venv/wheel/*.whl
	touch $@

$(RUN)/installed-swift: requirements/servers.txt $(RUN)/made
$(RUN)/installed-bench: requirements/test.txt $(RUN)/made
$(RUN)/installed-screenshot: requirements/browser.txt $(RUN)/made
$(RUN)/installed-%:
	$(UV) pip install --quiet --python $(RUN) --require-hashes $(patsubst %,--requirement %,$(filter %.txt,$^))
	touch $@

var/demo.written: $(wildcard oslogserve/demo/*.*) | $(RUN)/installed
	$(RUN)/bin/oslogserve demo var/demo
	touch $@

# An environment whose Python is gone is made again.
$(shell for python in .venv/*/bin/python; do "$$python" -c '' 2>/dev/null || rm -rf "$${python%/bin/python}"; done)

.PHONY: list-of-sources help test test-all early-checks test-environments cargo system-packages faults soak attacks experiments fuzz accuracy run ready-to-run bench screenshot wheels sbom image site release-ready release-files release-check acceptance audit docs lock clean
