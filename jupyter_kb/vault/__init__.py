"""Files, the truth: which notes a vault holds, reading them safely, replacing them whole."""
