"""The syntax of Python files, for tests that look through all of them."""

import ast


def statements(source: str) -> list[ast.AST]:
    """Returns the statements of a program, at whatever depth, with what they are blocks of."""
    found: list[ast.AST] = [ast.parse(source)]
    for node in found:  # it grows
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            if isinstance(below := getattr(node, name, None), list):
                found += below
    return found


def nodes(source: str) -> list[ast.AST]:
    """Returns the nodes of a program as `ast.walk` yields them, which takes longer."""
    found: list[ast.AST] = [ast.parse(source)]
    for node in found:  # it grows
        for name in node._fields:
            value = getattr(node, name)
            if isinstance(value, list):
                found += [one for one in value if isinstance(one, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return found
