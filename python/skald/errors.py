"""The one exception of the package."""


class Error(Exception):
    """Says what failed, and in ``code`` why.

    Codes are the library's: ``bad_input``, ``bad_file``, ``not_found``, ``unsupported``, ``no_memory``, ``device``,
    ``busy``, ``cancelled`` and ``internal``.
    """

    def __init__(self, code: str, message: str):
        super().__init__(message)
        self.code = code
