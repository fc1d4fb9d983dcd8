"""Between structs and protobuf messages: one codec, derived from both sides and checked when it is made.

The rule: a struct and its message have the same field names and the same meaning. `int`, `str`, `bytes` and `bool` are
scalars; `tuple[T, ...]` is a repeated field; `T | None` is an optional field or message; an `enum.Enum` member `NAME`
is the proto value `PREFIX_NAME` with number 0 reserved for "unspecified"; `dict[str, str]` is a map; a union of
structs is a message with one `oneof` whose fields are the structs' names in snake_case, or a `oneof` of that field's
name inside its message. Anything else, or any field that only one side has, raises `Mismatch` at start-up.

For each pair a reader and a writer are compiled, as `dataclasses` compiles `__init__`: field by field, without loops.
"""

from __future__ import annotations

import enum
import functools
import re
import types
import typing
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec
from google.protobuf.descriptor import Descriptor, FieldDescriptor, OneofDescriptor
from google.protobuf.message import Message

S = TypeVar("S")
M = TypeVar("M", bound=Message)

_SCALARS = {
    int: (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_INT64),
    str: (FieldDescriptor.CPPTYPE_STRING,),
    bytes: (FieldDescriptor.CPPTYPE_STRING,),
    bool: (FieldDescriptor.CPPTYPE_BOOL,),
}


class Mismatch(TypeError):
    """A struct and its message disagree; a programming error found at start-up."""


class Malformed(ValueError):
    """A message cannot be what it claims: a part is missing or unknown; the text may be shown to whoever sent it."""


class UnknownKind(Malformed):
    """A union message holds no case, or one that this version does not know."""


@functools.cache
def snake(name: str) -> str:
    """Return `PlaceLand` as `place_land`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


class Codec(Generic[S, M]):
    """Turns structs of one type (or union) into messages of one class and back."""

    def __init__(self, type_: Any, message_class: type[M]) -> None:
        """Compile reader and writer; raises `Mismatch` when the two sides disagree anywhere below."""
        compiler = _Compiler()
        self._class = message_class
        descriptor: Any = message_class.DESCRIPTOR
        self.from_message: Callable[[M], S] = compiler.reader(type_, descriptor)
        self.fill: Callable[[M, S], None] = compiler.writer(type_, descriptor)

    def to_message(self, value: S) -> M:
        """Return a new message that says what `value` says."""
        message = self._class()
        self.fill(message, value)
        return message

    def decode(self, data: bytes) -> S:
        """Return the struct in serialised bytes; raises `Malformed` or protobuf's DecodeError."""
        return self.from_message(self._class.FromString(data))


class _Compiler:
    """Compiles each pair of (type, message) once, as the functions read_N and write_N of one namespace."""

    def __init__(self) -> None:
        self._space: dict[str, Any] = {"Malformed": Malformed, "UnknownKind": UnknownKind}
        self._names: dict[tuple[Any, str], str] = {}

    def reader(self, type_: Any, descriptor: Descriptor) -> Callable[[Any], Any]:
        return typing.cast("Callable[[Any], Any]", self._space[f"read_{self._pair(type_, descriptor)}"])

    def writer(self, type_: Any, descriptor: Descriptor) -> Callable[[Any, Any], None]:
        return typing.cast("Callable[[Any, Any], None]", self._space[f"write_{self._pair(type_, descriptor)}"])

    def _pair(self, type_: Any, descriptor: Descriptor | None) -> str:
        if descriptor is None:
            raise Mismatch(f"{type_!r} needs a message, not a scalar")
        key = (type_, descriptor.full_name)
        if key not in self._names:
            name = self._names[key] = f"{descriptor.name}_{len(self._names)}"
            if _is_union(type_):
                self._compile_union(name, type_, descriptor)
            elif isinstance(_bare(type_), type) and issubclass(_bare(type_), msgspec.Struct):
                self._compile_struct(name, type_, descriptor)
            else:
                raise Mismatch(f"{type_!r} is neither a struct nor a union of structs ({descriptor.full_name})")
        return self._names[key]

    def _compile_union(self, name: str, type_: Any, descriptor: Descriptor) -> None:
        if len(descriptor.oneofs) != 1 or len(descriptor.fields) != len(descriptor.oneofs[0].fields):
            raise Mismatch(f"{descriptor.full_name} must consist of exactly one oneof")
        self._oneof(name, type_, descriptor.oneofs[0])

    def _oneof(self, name: str, type_: Any, oneof: OneofDescriptor) -> None:
        """Compile the choice between the members of a union, which lies in one oneof."""
        cases = {snake(case.__name__): case for case in typing.get_args(type_)}
        fields = {field.name: field for field in oneof.fields}
        _same_names(oneof.full_name, set(cases), set(fields))
        pairs = {field: self._pair(case, fields[field].message_type) for field, case in cases.items()}
        self._space[f"readers_{name}"] = {field: self._later(f"read_{pair}") for field, pair in pairs.items()}
        self._space[f"writers_{name}"] = {
            cases[field]: (field, self._later(f"write_{pair}")) for field, pair in pairs.items()
        }
        self._define(
            f"def read_{name}(m):",
            f"    field = m.WhichOneof({oneof.name!r})",
            f"    if field is None: raise UnknownKind('{oneof.containing_type.name} holds nothing that is known here')",
            f"    return readers_{name}[field](getattr(m, field))",
            f"def write_{name}(m, s):",
            f"    field, write = writers_{name}[type(s)]",
            "    part = getattr(m, field)",
            "    part.SetInParent()",
            "    write(part, s)",
        )

    def _later(self, function: str) -> Callable[..., Any]:
        """Return a compiled function, or a call to it if its type refers to itself and is not finished yet."""
        found = self._space.get(function)
        if found is not None:
            return typing.cast("Callable[..., Any]", found)

        def call(*args: Any) -> Any:
            return self._space[function](*args)

        return call

    def _compile_struct(self, name: str, type_: Any, descriptor: Descriptor) -> None:
        hints, struct = _hints(type_), _bare(type_)
        real = {field.name: field for field in descriptor.fields if field.containing_oneof not in _choices(descriptor)}
        choices = {oneof.name: oneof for oneof in _choices(descriptor)}
        _same_names(descriptor.full_name, set(struct.__struct_fields__), {*real, *choices})
        self._space[f"cls_{name}"] = struct
        reads, writes = [], []
        for field_name in struct.__struct_fields__:
            slot = f"{name}_{field_name}"
            if field_name in choices:
                self._oneof(slot, hints[field_name], choices[field_name])
                read, write = f"read_{slot}(m)", [f"write_{slot}(m, s.{field_name})"]
            else:
                read, write = self._field(hints[field_name], real[field_name], slot)
            reads.append(f"{field_name}={read}")
            writes.extend(write)
        self._define(
            f"def read_{name}(m): return cls_{name}({', '.join(reads)})",
            f"def write_{name}(m, s):",
            *(f"    {line}" for line in writes or ["pass"]),
        )

    def _define(self, *lines: str) -> None:
        exec("\n".join(lines), self._space)  # noqa: S102 - the text is made of field names of our own descriptors

    def _field(self, hint: Any, field: FieldDescriptor, slot: str) -> tuple[str, list[str]]:
        """Return the expression that reads a field and the lines that write it."""
        name = field.name
        hint, optional = _without_none(hint)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            if typing.get_origin(hint) is not dict or typing.get_args(hint) != (str, str):
                raise Mismatch(f"{field.full_name} is a map, which must be dict[str, str]")
            return f"dict(m.{name})", [f"m.{name}.update(s.{name})"]
        if typing.get_origin(hint) is tuple:
            return self._repeated(typing.get_args(hint)[0], field, slot)
        if field.is_repeated:
            raise Mismatch(f"{field.full_name} is repeated, which must be a tuple[T, ...], not {hint!r}")
        if field.message_type is not None:
            return self._single_message(hint, field, slot, optional=optional)
        if optional and not field.has_presence:
            raise Mismatch(f"{field.full_name} must be optional, as {hint!r} may be None")
        if field.has_presence and not optional:
            raise Mismatch(f"{field.full_name} is optional, so {hint!r} must allow None")
        read, write = self._scalar(hint, field, slot, f"m.{name}", f"s.{name}")
        if optional:
            return f"({read} if m.HasField({name!r}) else None)", [f"if s.{name} is not None: m.{name} = {write}"]
        return read, [f"m.{name} = {write}"]

    def _single_message(self, hint: Any, field: FieldDescriptor, slot: str, *, optional: bool) -> tuple[str, list[str]]:
        name, pair = field.name, self._pair(hint, field.message_type)
        self._space[f"r_{slot}"], self._space[f"w_{slot}"] = self._later(f"read_{pair}"), self._later(f"write_{pair}")
        self._space[f"miss_{slot}"] = _missing(name)
        absent = "None" if optional else f"miss_{slot}()"
        write = [f"m.{name}.SetInParent()", f"w_{slot}(m.{name}, s.{name})"]
        if optional:
            write = [f"if s.{name} is not None:", *(f"    {line}" for line in write)]
        return f"(r_{slot}(m.{name}) if m.HasField({name!r}) else {absent})", write

    def _repeated(self, item: Any, field: FieldDescriptor, slot: str) -> tuple[str, list[str]]:
        name = field.name
        if not field.is_repeated:
            raise Mismatch(f"{field.full_name} must be repeated, as its struct holds a tuple")
        if field.message_type is not None:
            pair = self._pair(item, field.message_type)
            self._space[f"r_{slot}"], self._space[f"w_{slot}"] = (
                self._later(f"read_{pair}"),
                self._later(f"write_{pair}"),
            )
            return f"tuple([r_{slot}(x) for x in m.{name}])", [f"for x in s.{name}: w_{slot}(m.{name}.add(), x)"]
        read, write = self._scalar(item, field, slot, "x", "x")
        if read == "x":
            return f"tuple(m.{name})", [f"m.{name}.extend(s.{name})"]
        return f"tuple([{read} for x in m.{name}])", [f"m.{name}.extend([{write} for x in s.{name}])"]

    def _scalar(self, hint: Any, field: FieldDescriptor, slot: str, read: str, write: str) -> tuple[str, str]:
        if field.enum_type is not None:
            numbers = _enum_numbers(hint, field)
            members = {number: member for member, number in numbers.items()}
            self._space[f"get_{slot}"] = _enum_reader(members, field.name)
            self._space[f"put_{slot}"] = numbers
            return f"get_{slot}({read})", f"put_{slot}[{write}]"
        if hint not in _SCALARS or field.cpp_type not in _SCALARS[hint]:
            raise Mismatch(f"{field.full_name} does not fit {hint!r}")
        if (hint is bytes) != (field.type == FieldDescriptor.TYPE_BYTES) and hint in (str, bytes):
            raise Mismatch(f"{field.full_name} does not fit {hint!r}")
        return read, write


def _is_union(type_: Any) -> bool:
    return typing.get_origin(type_) in (typing.Union, types.UnionType)


def _without_none(hint: Any) -> tuple[Any, bool]:
    """Split `T | None` into T and whether None was allowed; a union of structs keeps its other members."""
    if not _is_union(hint) or type(None) not in typing.get_args(hint):
        return hint, False
    rest = tuple(arg for arg in typing.get_args(hint) if arg is not type(None))
    return (rest[0] if len(rest) == 1 else typing.Union[rest]), True  # noqa: UP007 - built from a tuple


def _bare(type_: Any) -> Any:
    """Return the class of a type that may carry parameters (`Commit[Action, Event]` is a `Commit`)."""
    return typing.get_origin(type_) or type_


def _hints(type_: Any) -> dict[str, Any]:
    """Return the annotations of a struct with its type parameters filled in."""
    hints = typing.get_type_hints(_bare(type_))
    given = dict(zip(getattr(_bare(type_), "__parameters__", ()), typing.get_args(type_), strict=False))

    def fill(hint: Any) -> Any:
        if isinstance(hint, TypeVar):
            return given[hint]
        parameters = getattr(hint, "__parameters__", ())
        return hint[tuple(given[p] for p in parameters)] if parameters else hint

    return {name: fill(hint) for name, hint in hints.items()}


def _choices(descriptor: Descriptor) -> list[OneofDescriptor]:
    """Return the oneofs written as such (an `optional` field is one, too, for protobuf)."""
    return [oneof for oneof in descriptor.oneofs if not oneof.name.startswith("_")]


def _same_names(where: str, ours: set[str], theirs: set[str]) -> None:
    if ours != theirs:
        raise Mismatch(
            f"{where}: only the struct has {sorted(ours - theirs)}, only the message {sorted(theirs - ours)}"
        )


def _missing(name: str) -> Callable[[], Any]:
    def miss() -> Any:
        raise Malformed(f"{name} is missing")

    return miss


def _enum_numbers(hint: Any, field: FieldDescriptor) -> dict[enum.Enum, int]:
    """Pair the members of an Enum with the numbers of a proto enum; both sides must have the same names."""
    if field.enum_type is None or not (isinstance(hint, type) and issubclass(hint, enum.Enum)):
        raise Mismatch(f"{field.full_name} is an enum, which {hint!r} is not")
    prefix = snake(field.enum_type.name).upper() + "_"
    numbers = {value.name.removeprefix(prefix): value.number for value in field.enum_type.values}
    if numbers.pop("UNSPECIFIED", None) != 0 or set(numbers) != set(hint.__members__):
        raise Mismatch(f"{field.enum_type.full_name} and {hint.__name__} have different members")
    return {hint[name]: number for name, number in numbers.items()}


def _enum_reader(members: dict[int, enum.Enum], name: str) -> Callable[[int], enum.Enum]:
    def read(number: int) -> enum.Enum:
        try:
            return members[number]
        except KeyError:
            raise Malformed(f"{name} is missing or unknown") from None

    return read
