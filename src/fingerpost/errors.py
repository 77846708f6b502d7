"""Exceptions that server authors raise, so that a failure tells the caller what to do next.

    Exception
    └── ToolOperationError      an expected failure, with what to do about it
        └── UnknownValue        a value that names nothing; the nearest choices are found for you

Every field except the message is optional; Fingerpost infers what is left out.
"""

from fingerpost.engine.tool_errors import Reading, ToolOperationError, UnknownValue

__all__ = ["Reading", "ToolOperationError", "UnknownValue"]
