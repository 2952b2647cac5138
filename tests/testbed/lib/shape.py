# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The shape of an emulated cluster: a cluster YAML and its `x-emulation:` part."""

import ipaddress
import os
import re
from dataclasses import dataclass, field

from problem import Problem
from units import bits_per_second, bytes_of, hostlist

SHIPPED = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "shapes")
RESERVED = ("ctl", "login")
DEFAULTS = {"subnets": "10.78.0.0/16", "burst": "32 KiB", "memory": "2000 MB"}
MAX_NODES = 250  # a testbed is one /24


@dataclass
class Link:
    """Rates in bit/s as the YAML sees them: out = towards the root. None: not limited."""
    out: float = None
    into: float = None
    half_duplex: bool = False  # both directions share the rate, which is the same for both


@dataclass
class Cpus:
    """What a node looks like from inside."""
    synthetic: str = ""
    sockets: int = 1
    cores: int = 1    # per socket
    threads: int = 1  # per core

    @property
    def pus(self):
        return self.sockets * self.cores * self.threads


@dataclass
class Node:
    name: str
    switch: str
    port: Link
    cpus: Cpus


@dataclass
class Switch:
    name: str
    parent: str = None
    uplink: Link = None
    max_rate: float = None  # bit/s of all messages together
    children: list = field(default_factory=list)


@dataclass
class Shape:
    path: str
    text: str
    nodes: list
    switches: list
    subnets: ipaddress.IPv4Network
    burst: int
    memory: int  # MB

    @property
    def root(self):
        return next(s for s in self.switches if s.parent is None)


def shipped():
    return sorted(f[:-5] for f in os.listdir(SHIPPED) if f.endswith(".yaml"))


def find(name):
    path = os.path.join(SHIPPED, name + ".yaml")
    if os.path.sep not in name and os.path.isfile(path):
        return path
    if os.path.isfile(name):
        return os.path.abspath(name)
    raise Problem(f"unknown shape '{name}'; shipped: {' '.join(shipped())} (or the path of a cluster YAML)")


def read(name):
    import yaml  # only `up` needs it
    path = find(name)
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        return _build(path, text, yaml.safe_load(text))
    except yaml.YAMLError as error:
        raise Problem(f"{path}: {' '.join(str(error).split())}")
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{path}: {error}")
    except Problem as problem:
        raise Problem(f"{path}: {problem}")
    except (KeyError, AttributeError, TypeError, ValueError) as error:
        raise Problem(f"{path}: not a cluster YAML ({type(error).__name__}: {error})")


def _build(path, text, tree):
    emulation = _emulation(tree.get("x-emulation") or {})
    kinds = tree.get("links") or {}
    classes = tree["node_classes"]
    switches = {name: Switch(name) for name in tree["switches"]}
    nodes = []
    for name, body in tree["switches"].items():
        switches[name].uplink = _link(body["link"], kinds) if "link" in body else None
        switches[name].max_rate = bits_per_second(body["max_bandwidth"]) if "max_bandwidth" in body else None
        for child in body.get("switches", []):
            if child not in switches:
                raise Problem(f"switch {name} has an unknown child {child}")
            switches[child].parent = name
            switches[name].children.append(child)
        for names, kind in _groups(body):
            if kind not in classes:
                raise Problem(f"switch {name} has nodes of the unknown class {kind}")
            port, cpus = _link(classes[kind].get("link"), kinds), _cpus(kind, classes[kind])
            nodes += [Node(node, name, port, cpus) for node in names]
    _check(switches, nodes)
    _check_maxima(switches, nodes)
    return Shape(path, text, nodes, list(switches.values()), **emulation)


def _check(switches, nodes):
    roots = [s.name for s in switches.values() if s.parent is None]
    if len(roots) != 1:
        raise Problem(f"exactly one switch is nobody's child, not {len(roots)}: {' '.join(roots)}")
    names = [node.name for node in nodes]
    if not 1 <= len(nodes) <= MAX_NODES:
        raise Problem(f"{len(nodes)} nodes; the emulation has room for 1 to {MAX_NODES}")
    if len(set(names)) != len(names):
        raise Problem("a node stands twice")
    for name in names + list(switches):
        # node and switch names become names of network interfaces
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,10}", name):
            raise Problem(f"'{name}': the emulation takes names of up to 11 letters, digits, _ and -")
        if name in RESERVED:
            raise Problem(f"'{name}': the name of one of the emulation's own hosts; take another")


def _check_maxima(switches, nodes):
    """A port's packets go through one token bucket: that of its switch, or its own for both directions."""
    ports = [(node.switch, node.port) for node in nodes]
    for switch in switches.values():
        if switch.uplink:
            ports += [(switch.name, switch.uplink), (switch.parent, switch.uplink)]
    for name, port in ports:
        if name and switches[name].max_rate and port.half_duplex:
            raise Problem(f"switch {name} has max_bandwidth and a half-duplex port: the emulation takes one of them")


def _emulation(given):
    unknown = set(given) - set(DEFAULTS)
    if unknown:
        raise Problem(f"unknown key x-emulation.{sorted(unknown)[0]}; known: {' '.join(DEFAULTS)}")
    given = {**DEFAULTS, **given}
    subnets = ipaddress.ip_network(given["subnets"])
    if subnets.version != 4 or subnets.prefixlen > 24:
        raise Problem("x-emulation.subnets must be an IPv4 network of at least a /24")
    return {"subnets": subnets, "burst": bytes_of(given["burst"]), "memory": bytes_of(given["memory"]) // 10**6}


def _groups(body):
    nodes = body.get("nodes", [])
    if isinstance(nodes, str):
        nodes = [{"names": nodes, "class": body["class"]}]
    return [(hostlist(group["names"]), group["class"]) for group in nodes]


def _link(link, kinds):
    if link is None:
        return Link()
    if isinstance(link, str):
        if link not in kinds:
            raise Problem(f"unknown link {link}")
        link = kinds[link]
    return Link(_rate({**link, **link.get("out", {})}), _rate({**link, **link.get("in", {})}), link.get("duplex") == "half")


def _rate(direction):
    if "max_bandwidth" in direction:
        return bits_per_second(direction["max_bandwidth"])
    bandwidth = direction.get("bandwidth")
    if isinstance(bandwidth, dict):
        return max(map(bits_per_second, bandwidth.values()))
    return bits_per_second(bandwidth) if bandwidth else None


def _cpus(kind, body):
    synthetic = (body.get("hwloc") or {}).get("synthetic")
    if not synthetic:
        raise Problem(f"node class {kind}: the emulation needs `hwloc: {{synthetic: ...}}`")
    levels = []
    for word in synthetic.split():
        match = re.fullmatch(r"([A-Za-z0-9]+):(\d+)(\(.*\))?", word)
        if not match:
            raise Problem(f"node class {kind}: cannot read '{word}' in the synthetic topology")
        levels.append((match[1].lower(), int(match[2])))
    if not any(name.startswith("pack") for name, _ in levels):
        levels.insert(0, ("package", 1))  # slurmd counts packages
        synthetic = "package:1 " + synthetic
    cpus, seen, total = Cpus(synthetic), 1, 1
    for name, count in levels:
        total *= count
        if name.startswith("pack"):
            cpus.sockets, seen = total, total
        elif name.startswith("core"):
            cpus.cores, seen = total // seen, total
    cpus.threads = total // seen
    return cpus
