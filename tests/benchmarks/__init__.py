"""Speed, memory and quality, measured against sample vaults; `python -m tests.benchmarks` prints all."""
