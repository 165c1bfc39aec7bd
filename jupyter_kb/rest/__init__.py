"""The REST API as plain functions, without any web framework: doors hand in what they read and send what comes back."""
