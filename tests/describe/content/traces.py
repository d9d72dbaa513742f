"""Errors with their calls, as several languages print them."""

from __future__ import annotations

PYTHON_TRACE = """some output
Traceback (most recent call last):
  File "/src/reader.py", line 41, in records
    yield by_id[r]
          ~~~~~^^^
KeyError: 'parent'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/src/cli.py", line 12, in main
    run()
  File "/src/run.py", line 77, in run
    go()
ImportFailed: record 88 has no parent
"""


JAVASCRIPT_TRACE = (
    "TypeError: x is undefined\n    at link (/src/reader.js:41:7)\n    at Object.<anonymous> (/src/cli.js:3:1)\n"
)


JAVA_TRACE = (
    'Exception in thread "main" java.lang.IllegalStateException: no parent\n\tat org.app.Reader.link(Reader.java:41)\n'
    "\tat org.app.Main.main(Main.java:3)\nCaused by: java.io.IOException: gone\n\tat org.app.Files.read(Files.java:9)\n"
    "\t... 2 more\n"
)


RUST_TRACE = (
    "thread 'main' panicked at src/reader.rs:41:7:\nno parent\nstack backtrace:\n   0: std::panicking::begin\n"
    "             at /rustc/lib.rs:5:1\n   1: reader::link\n             at ./src/reader.rs:41:7\n"
)


GO_TRACE = (
    "panic: no parent\n\ngoroutine 1 [running]:\nmain.link(...)\n\t/src/reader.go:41 +0x1d\n"
    "main.main()\n\t/src/main.go:3\n"
)


NODE_TRACE = (
    "/src/load.js:3\n  throw new Error(`no ${name}`);\n  ^\n\nError: no settings\n    at load (/src/load.js:3:9)\n"
    "    at node:internal/main:28:49 {\n  code: 'ENOENT'\n}\n\nNode.js v20.12.2\n"
)


RECURSION_TRACE = (
    'Traceback (most recent call last):\n  File "/src/a.py", line 5, in main\n    f(1)\n'
    '  File "/src/a.py", line 2, in f\n    f(n)\n  [Previous line repeated 993 more times]\n'
    '  File "/src/a.py", line 3, in g\n    h(n)\nRecursionError: too deep\n'
)


GROUP_TRACE = (
    '  + Exception Group Traceback (most recent call last):\n  |   File "/src/a.py", line 12, in main\n'
    "  |     run()\n  | ExceptionGroup: unhandled errors (2 sub-exceptions)\n"
    "  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n"
    '    |   File "/src/a.py", line 4, in one\n    | ValueError: first\n'
    "    +---------------- 2 ----------------\n    | Traceback (most recent call last):\n"
    '    |   File "/src/a.py", line 6, in two\n    | TypeError: second\n'
    "    +------------------------------------\n"
)
