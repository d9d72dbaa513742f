# Two commands matter: `make run` opens the demo, `make test` runs everything. The rest is for people who change the code.
PYTHON ?= python3
VENV := .venv
UV_VERSION := 0.13.8

.PHONY: run test crawl agents attack check bench binary deb lock clean demo pages pictures format

run:
	@PYTHON="$(PYTHON)" packaging/bootstrap.sh run
	@packaging/run_demo.sh

# A test process takes three times as long to begin, and the program twice, where Python may not keep compiled modules.
unexport PYTHONDONTWRITEBYTECODE

# Side by side on all cores, then what measures time alone. A room may hold tests of one sort only. Tests of windows wait
# for their display about a third of the time: there is one process more than cores, and at most four, for memory.
NONE_FOUND := 5
PROCESSES := import os; print(min((os.cpu_count() or 1) + 1, 4))
test:
	@PYTHON="$(PYTHON)" packaging/bootstrap.sh dev
	@failed=0; \
	$(VENV)/bin/python -m pytest -n $$($(VENV)/bin/python -c "$(PROCESSES)") --dist loadgroup -m "not serial" $(TESTS) \
		|| test $$? -eq $(NONE_FOUND) || failed=1; \
	$(VENV)/bin/python -m pytest -m serial $(TESTS) || test $$? -eq $(NONE_FOUND) || failed=1; \
	exit $$failed

# Presses every control of every state in every size, scale and theme: build/crawl.md grows and says what it did and
# found. RESUME=1 goes on where it was broken off.
crawl:
	@PYTHON="$(PYTHON)" packaging/bootstrap.sh dev
	$(VENV)/bin/python -m tests.ui.crawl $(if $(RESUME),--resume)

# Attacks the application in full, which takes long, or for SECONDS; ONLY=kill runs one attack, SEED repeats a run.
attack:
	@PYTHON="$(PYTHON)" packaging/bootstrap.sh dev
	$(VENV)/bin/python -m tests.attack $(if $(SECONDS),--seconds $(SECONDS)) $(if $(ONLY),--only $(ONLY)) \
		$(if $(SEED),--seed $(SEED))

# Real agents, from npm into build/agents, go on from what is handed back to them, alone with a scripted model.
agents:
	@PYTHON="$(PYTHON)" packaging/bootstrap.sh dev
	$(VENV)/bin/python -m tests.agents $(AGENTS)

check:
	@PYTHON="$(PYTHON)" packaging/bootstrap.sh lint
	@failed=; for command in "ruff check ." "ruff format --check ." mypy lint-imports; do \
		echo "$$command"; $(VENV)/bin/$$command || failed="$$failed  $$command"; \
	done; [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

# PARTS="core layout" measures those alone; `python -m bench --help` names them.
bench:
	@PYTHON="$(PYTHON)" packaging/bootstrap.sh bench
	$(VENV)/bin/python -m bench $(PARTS)
	$(VENV)/bin/python packaging/build.py binary
	$(VENV)/bin/python -m bench.start
	$(VENV)/bin/python -m bench.idle

# The program without Python around it, in one folder and in one file: dist/. See packaging/README.md.
binary:
	@PYTHON="$(PYTHON)" packaging/bootstrap.sh dev
	$(VENV)/bin/python packaging/build.py binary

deb:
	@PYTHON="$(PYTHON)" packaging/bootstrap.sh dev
	$(VENV)/bin/python packaging/build.py deb

format:
	@PYTHON="$(PYTHON)" packaging/bootstrap.sh lint
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

# Writes the demo runs again; their bytes only change when the story or the format does.
demo:
	@PYTHON="$(PYTHON)" packaging/bootstrap.sh run
	$(VENV)/bin/python assets/demo/make_demo.py

# Writes the pages of docs/ that are made from the program itself.
pages:
	@PYTHON="$(PYTHON)" packaging/bootstrap.sh run
	$(VENV)/bin/python -m docs.write_pages

# Replays the tutorial in a real window and writes its pictures and the README's animation.
pictures:
	@PYTHON="$(PYTHON)" packaging/bootstrap.sh dev
	$(VENV)/bin/python -m docs.take_pictures

# Exact versions and the hash of every published file, for CPython 3.11 and later.
lock:
	$(PYTHON) -m venv build/lock
	build/lock/bin/pip install --quiet "uv==$(UV_VERSION)"
	build/lock/bin/uv pip compile pyproject.toml --universal --python-version 3.11 --upgrade --generate-hashes \
		--fork-strategy fewest --no-emit-index-url --no-annotate --custom-compile-command "make lock" -q -o requirements.lock
	build/lock/bin/uv pip compile pyproject.toml --extra dev --constraint requirements.lock --universal --python-version 3.11 \
		--upgrade --generate-hashes --fork-strategy fewest --no-emit-index-url --no-annotate \
		--custom-compile-command "make lock" -q -o requirements-dev.lock

clean:
	rm -rf build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find opentine_gui tests bench assets packaging -name __pycache__ -type d -prune -exec rm -rf {} +
