"""Guidance in front of any server: messages are relayed byte for byte, and only what guidance changes is changed."""
