"""Mutants: the functions of the core, each with one small thing made wrong."""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
LAYERS = ("nostr", "mcp", "revisions", "translate", "session")

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
    ast.BitXor: ast.BitAnd, ast.Pow: ast.Mult,
}  # fmt: skip
# Calls whose text is for people: what a message says is no rule of a protocol.
_FOR_PEOPLE = {
    "Violation",
    "LocalProtocolError",
    "TypeError",
    "ValueError",
    "Breach",
    "_refused",
    "_malformed",
    "failed",
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change to one function. `name` does not depend on line numbers."""

    module: str
    function: str
    line: int
    name: str
    code: CodeType


def modules() -> list[str]:
    """The modules of the core, by their dotted names."""
    paths = [path for layer in LAYERS for path in sorted((PROJECT / "nostrmcp" / layer).glob("*.py"))]
    return [".".join(path.relative_to(PROJECT).with_suffix("").parts) for path in paths if path.stem != "__init__"]


def mutants_of(module: str) -> Iterator[Mutant]:
    """Every mutant of a module's functions and methods."""
    source = (PROJECT / Path(*module.split("."))).with_suffix(".py").read_text(encoding="utf-8")
    for path, node in _functions(ast.parse(source)):
        yield from _mutants(module, path, node, source)


def _functions(tree: ast.Module) -> Iterator[tuple[tuple[str, ...], ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield (node.name,), node
        elif isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    yield (node.name, member.name), member


def _mutants(module: str, path: tuple[str, ...], function: ast.FunctionDef, source: str) -> Iterator[Mutant]:
    counts: dict[str, int] = {}
    body = [node for statement in function.body for node in ast.walk(statement)]
    quiet = _for_people(function)
    for number, node in enumerate(body):
        if id(node) in quiet:
            continue
        for what, change in _changes(node):
            changed = copy.deepcopy(function)
            again = [one for statement in changed.body for one in ast.walk(statement)]
            if not change(changed, again[number]):
                continue
            text = " ".join((ast.get_source_segment(source, node) or "").split())[:60]
            label = f"{what} `{text}`"
            counts[label] = counts.get(label, 0) + 1
            name = label if counts[label] == 1 else f"{label} #{counts[label]}"
            code = _compiled(changed, path)
            if code is not None:
                yield Mutant(module, ".".join(path), getattr(node, "lineno", function.lineno), name, code)


def _for_people(function: ast.FunctionDef) -> set[int]:
    """Nodes that only make a message's text, and those of type hints and asserts."""
    found: set[int] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if called in _FOR_PEOPLE:
                found |= {id(one) for argument in [*node.args, *node.keywords] for one in ast.walk(argument)}
        elif isinstance(node, ast.JoinedStr | ast.Assert):
            found |= {id(one) for one in ast.walk(node)}
        elif isinstance(node, ast.AnnAssign):
            found |= {id(one) for one in ast.walk(node.annotation)}
    return found


Change = Callable[[ast.FunctionDef, Any], bool]


def _changes(node: ast.AST) -> Iterator[tuple[str, Change]]:
    """What can be made wrong at a node: a name, and the function that does it to a copy."""
    if isinstance(node, ast.Compare):
        for position, operator in enumerate(node.ops):
            if type(operator) in _COMPARISONS:
                yield f"{type(operator).__name__} turned", functools.partial(_turn_comparison, position)
    elif isinstance(node, ast.BoolOp):
        yield "and/or swapped", _swap_boolean
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not removed", _replace(lambda one: one.operand)
    elif isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        yield f"{type(node.op).__name__} turned", _turn_arithmetic
    elif isinstance(node, ast.Constant):
        if type(node.value) is bool:
            yield "constant turned", _set_constant(not node.value)
        elif type(node.value) is int:
            yield "number raised", _set_constant(node.value + 1)
        elif type(node.value) is str and node.value:
            yield "text changed", _set_constant(node.value + "!")
        elif type(node.value) is bytes:
            yield "bytes changed", _set_constant(node.value + b"!")
    elif isinstance(node, ast.If | ast.While | ast.IfExp) and not isinstance(node.test, ast.Compare | ast.BoolOp):
        yield "condition turned", _turn_condition
    elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        yield "nothing returned", _return_nothing
    elif isinstance(node, ast.Raise):
        yield "not raised", _remove
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "call removed", _remove
    elif isinstance(node, ast.AugAssign | ast.Delete):
        yield "statement removed", _remove
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute | ast.Subscript):
        yield "assignment removed", _remove
    elif isinstance(node, ast.Break | ast.Continue):
        yield "left out", _remove


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _turn_comparison(position: int, _: ast.FunctionDef, node: ast.Compare) -> bool:
    node.ops[position] = _COMPARISONS[type(node.ops[position])]()
    return True


def _swap_boolean(_: ast.FunctionDef, node: ast.BoolOp) -> bool:
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    return True


def _turn_arithmetic(_: ast.FunctionDef, node: ast.BinOp) -> bool:
    node.op = _ARITHMETIC[type(node.op)]()
    return True


def _turn_condition(_: ast.FunctionDef, node: Any) -> bool:
    node.test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
    return True


def _return_nothing(_: ast.FunctionDef, node: ast.Return) -> bool:
    node.value = ast.copy_location(ast.Constant(None), node)
    return True


def _set_constant(value: Any) -> Change:
    def change(function: ast.FunctionDef, node: ast.Constant) -> bool:
        if _is_docstring(function, node):
            return False
        node.value = value
        return True

    return change


def _is_docstring(function: ast.FunctionDef, node: ast.Constant) -> bool:
    return any(isinstance(one, ast.Expr) and one.value is node for one in ast.walk(function))


def _replace(choose: Callable[[Any], ast.AST]) -> Change:
    def change(function: ast.FunctionDef, node: ast.AST) -> bool:
        class Replacing(ast.NodeTransformer):
            def visit(self, one: ast.AST) -> Any:
                return choose(one) if one is node else self.generic_visit(one)

        Replacing().visit(function)
        return True

    return change


def _remove(function: ast.FunctionDef, node: ast.AST) -> bool:
    return _replace(lambda one: ast.copy_location(ast.Pass(), one))(function, node)


def _compiled(function: ast.FunctionDef, path: tuple[str, ...]) -> CodeType | None:
    """The code object of a changed function, compiled where it stands, so that names and cells are the same."""
    function.decorator_list = []
    inside: ast.stmt = function
    if len(path) == 2:
        inside = ast.ClassDef(name=path[0], bases=[], keywords=[], body=[function], decorator_list=[])
    tree = ast.fix_missing_locations(ast.Module(body=[inside], type_ignores=[]))
    try:
        code = compile(tree, "<mutant>", "exec", flags=__future__.annotations.compiler_flag, dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    for name in path:
        code = next(one for one in code.co_consts if isinstance(one, CodeType) and one.co_name == name)
    return code


def function_of(mutant: Mutant) -> FunctionType | None:
    """The function that a mutant is of, as it lives in this process; None where it cannot be exchanged."""
    found: Any = importlib.import_module(mutant.module)
    for name in mutant.function.split("."):
        found = found.__dict__.get(name) if isinstance(found, type) else getattr(found, name, None)
    for attribute in ("fget", "__func__", "__wrapped__"):
        found = getattr(found, attribute, None) or found
    if not isinstance(found, FunctionType) or found.__code__.co_freevars != mutant.code.co_freevars:
        return None
    return found
