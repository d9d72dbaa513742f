"""LangGraph: checkpoints in SQLite as runs, with time travel, fan-out, subgraphs and interrupts."""
