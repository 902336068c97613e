"""Mutants: the functions of the core, each with one small thing made wrong."""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import gc
import importlib
import itertools
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
# What a message says to people is no rule of a protocol. Texts with a blank are such, and the whole of these calls'
# arguments but for the first, which is the rule that was broken; so are tuples that begin with an error class.
_TOLD = {"Violation", "LocalProtocolError", "Breach", "_broken", "_refused"}
_FOR_PEOPLE = {"TypeError", "ValueError", "_malformed", "_missing", "_unwritable", "_require", "not_carried", "shown"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change to one function. `name` does not depend on line numbers; `lines` are those of its statement."""

    module: str
    function: str
    lines: range
    name: str
    code: CodeType

    @property
    def place(self) -> str:
        return f"{self.module.removeprefix('nostrmcp.')}:{self.function}"

    @property
    def file(self) -> str:
        return str((PROJECT / Path(*self.module.split("."))).with_suffix(".py"))


def modules() -> list[str]:
    """The modules of the core, by their dotted names."""
    paths = [path for layer in LAYERS for path in sorted((PROJECT / "nostrmcp" / layer).glob("*.py"))]
    return [".".join(path.relative_to(PROJECT).with_suffix("").parts) for path in paths if path.stem != "__init__"]


def mutants_of(module: str) -> Iterator[Mutant]:
    """Every mutant of a module's functions and methods."""
    source = (PROJECT / Path(*module.split("."))).with_suffix(".py").read_text(encoding="utf-8")
    return mutants_in(source, module)


def mutants_in(source: str, module: str) -> Iterator[Mutant]:
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
    quiet = _not_behaviour(function)
    lines = dict(_lines(function))
    for number, node in enumerate(ast.walk(function)):
        if id(node) in quiet or id(node) not in lines:
            continue
        for what, change in _changes(node):
            changed = copy.deepcopy(function)
            again = next(itertools.islice(ast.walk(changed), number, None))
            change(changed, again)
            text = " ".join((ast.get_source_segment(source, node) or "").split())[:60]
            label = f"{what} `{text}`"
            counts[label] = counts.get(label, 0) + 1
            name = label if counts[label] == 1 else f"{label} #{counts[label]}"
            code = _compiled(changed, path)
            if code is not None:
                yield Mutant(module, ".".join(path), lines[id(node)], name, code)


def _lines(function: ast.FunctionDef) -> Iterator[tuple[int, range]]:
    """For each node of the body the lines of its statement, of one with a body those of its head."""
    for statement in ast.walk(function):
        if not isinstance(statement, ast.stmt) or statement is function:
            continue
        inner = [one for one in ast.iter_child_nodes(statement) if isinstance(one, ast.stmt | ast.match_case)]
        last = min((one.lineno for one in inner if isinstance(one, ast.stmt)), default=(statement.end_lineno or 0) + 1)
        lines = range(statement.lineno, max(last, statement.lineno + 1))
        heads = [one for one in ast.iter_child_nodes(statement) if not isinstance(one, ast.stmt)]
        for node in [statement, *(one for head in heads for one in _below(head))]:
            yield id(node), lines


def _below(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what it holds, less the statements in it."""
    yield node
    for one in ast.iter_child_nodes(node):
        if not isinstance(one, ast.stmt):
            yield from _below(one)


def _not_behaviour(function: ast.FunctionDef) -> set[int]:
    """Nodes that make a message's text, and those of type hints, docstrings and asserts."""
    found: list[ast.AST] = []
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            arguments = [*node.args, *node.keywords]
            if called in _FOR_PEOPLE:
                found += [one for one in arguments if _is_text(one)]
            elif called in _TOLD:
                found += arguments[1:]
        elif isinstance(node, ast.Tuple) and _is_error_class(node.elts[:1]):
            found += node.elts[1:]
        elif isinstance(node, ast.Assert) or (isinstance(node, ast.Constant) and " " in str(node.value).strip()):
            found.append(node)
        elif isinstance(node, ast.AnnAssign):
            found.append(node.annotation)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.append(node.value)
    return {id(one) for root in found for one in ast.walk(root)}


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and type(node.value) is str)


def _is_error_class(nodes: list[ast.expr]) -> bool:
    return any(isinstance(one, ast.Attribute) and ast.unparse(one.value).endswith("ErrorClass") for one in nodes)


Change = Callable[[ast.FunctionDef, Any], None]


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
    elif isinstance(node, ast.If | ast.While | ast.IfExp) and not _is_turned_elsewhere(node.test):
        yield "condition turned", _turn_condition
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
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


def _is_turned_elsewhere(test: ast.expr) -> bool:
    is_not = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    return is_not or isinstance(test, ast.Compare | ast.BoolOp)


def _turn_comparison(position: int, _: ast.FunctionDef, node: ast.Compare) -> None:
    node.ops[position] = _COMPARISONS[type(node.ops[position])]()


def _swap_boolean(_: ast.FunctionDef, node: ast.BoolOp) -> None:
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()


def _turn_arithmetic(_: ast.FunctionDef, node: ast.BinOp) -> None:
    node.op = _ARITHMETIC[type(node.op)]()


def _turn_condition(_: ast.FunctionDef, node: Any) -> None:
    node.test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)


def _return_nothing(_: ast.FunctionDef, node: ast.Return) -> None:
    node.value = ast.copy_location(ast.Constant(None), node)


def _set_constant(value: Any) -> Change:
    def change(_: ast.FunctionDef, node: ast.Constant) -> None:
        node.value = value

    return change


def _replace(choose: Callable[[Any], ast.AST]) -> Change:
    def change(function: ast.FunctionDef, node: ast.AST) -> None:
        class Replacing(ast.NodeTransformer):
            def visit(self, one: ast.AST) -> Any:
                return choose(one) if one is node else self.generic_visit(one)

        Replacing().visit(function)

    return change


def _remove(function: ast.FunctionDef, node: ast.AST) -> None:
    _replace(lambda one: ast.copy_location(ast.Pass(), one))(function, node)


def _compiled(function: ast.FunctionDef, path: tuple[str, ...]) -> CodeType | None:
    """The code object of a changed function, compiled where it stands, so that names and cells are the same."""
    function.decorator_list = []
    inside: ast.stmt = function
    if len(path) == 2:
        inside = ast.ClassDef(name=path[0], bases=[], keywords=[], body=[function], decorator_list=[])
    tree = ast.fix_missing_locations(ast.Module(body=[inside], type_ignores=[]))
    try:
        code: CodeType = compile(
            tree, "<mutant>", "exec", flags=__future__.annotations.compiler_flag, dont_inherit=True
        )
    except (SyntaxError, ValueError):
        return None
    for name in path:
        code = next(one for one in code.co_consts if isinstance(one, CodeType) and one.co_name == name)
    return code


def install(mutant: Mutant) -> None:
    """Exchange the code of a mutant's function in this process, and that of the closures it has made so far."""
    function = function_of(mutant)
    assert function is not None
    before, function.__code__ = function.__code__, mutant.code
    exchanged = dict(_inner_codes(before, mutant.code))
    if exchanged:
        for one in closures():
            one.__code__ = exchanged.get(one.__code__, one.__code__)


@functools.cache
def closures() -> list[FunctionType]:
    """Functions that functions of the package made while it was imported."""
    found = [one for one in gc.get_objects() if isinstance(one, FunctionType) and "<locals>" in one.__qualname__]
    return [one for one in found if (one.__module__ or "").startswith("nostrmcp.")]


def _inner_codes(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The functions and lambdas inside one that can be exchanged for those inside the other, with them."""
    inner = [[one for one in code.co_consts if isinstance(one, CodeType)] for code in (before, after)]
    for old, new in zip(*inner, strict=False):
        if old.co_name == new.co_name and old.co_freevars == new.co_freevars:
            if old.co_name not in ("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"):
                yield old, new
            yield from _inner_codes(old, new)


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
