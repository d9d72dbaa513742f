"""Benchmarks: what the application costs against references measured in the same run; see bench/README.md."""
