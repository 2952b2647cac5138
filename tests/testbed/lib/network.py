# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The emulated network: one namespace with all switches, one per node, and one for the login host.

    [ PREFIX-login ] eth0 (.254) -- login [ PREFIX: br-ROOT (.253, slurmctld) -- br-SWITCH -- NODE ] -- eth0 [ PREFIX-NODE ]

Switches are bridges. Every port is a veth pair; a token bucket on each of its ends has the rate of the link in
that direction. A half-duplex port has one token bucket, on a device through which the packets of both directions go.
What enters a switch with `max_bandwidth` goes through one token bucket too, but for what comes from the login host and slurmctld.
Nothing of it is on the host, so names, firewall rules and other testbeds do not matter. The login host has ports of its own:
what slurmstepds still send to an srun that was killed must not reach one of another testbed that was given its port
(srun 22.05 takes the first four bytes that come to PMIx's abort port for its exit code).
"""

import glob
import os
import shutil
import subprocess

from problem import Problem

RUN = "/run/netns"
LOGIN = "login"
QUEUE = "50ms"  # longest time in a token bucket's queue


def namespace(state, node=None):
    return f"{state.prefix}-{node}" if node else state.prefix


def namespaces(state):
    found = glob.glob(os.path.join(RUN, state.prefix)) + glob.glob(os.path.join(RUN, state.prefix + "-*"))
    return [os.path.basename(path) for path in found]


def addresses(shape, number):
    """(of the nodes, of slurmctld, of the login host) in the testbed's /24"""
    base = shape.subnets.network_address + 256 * number
    return [str(base + i + 1) for i in range(len(shape.nodes))], str(base + 253), str(base + 254)


def subnet_count(shape):
    return 2 ** (24 - shape.subnets.prefixlen)


def _batch(tool, commands, inside=None):
    command = [tool] + (["-n", inside] if inside else []) + ["-batch", "-"]
    done = subprocess.run(command, input="\n".join(commands) + "\n", capture_output=True, text=True)
    if done.returncode:
        raise Problem(f"{tool}: {' '.join(done.stderr.split())}")


def _tbf(device, rate, burst):
    if rate is None:
        return []
    return [f"qdisc add dev {device} root tbf rate {int(rate)}bit burst {burst} latency {QUEUE}"]


def _load_ifb():
    """By default the module makes two devices on the host as it is loaded. In many kernels it is no module."""
    if shutil.which("modprobe"):
        subprocess.run(["modprobe", "-q", "ifb", "numifbs=0"], check=False)


def _one_bucket(device, both, rate, burst):
    """Commands for ip and for tc: what enters and leaves the device goes through the token bucket of the device `both`."""
    if rate is None:
        return [], []
    redirect = f"protocol all u32 match u32 0 0 action mirred egress redirect dev {both}"
    return ([f"link add {both} type ifb", f"link set {both} addrgenmode none up"],
            [*_tbf(both, rate, burst), f"qdisc add dev {device} clsact",
             f"filter add dev {device} ingress {redirect}", f"filter add dev {device} egress {redirect}"])


def _switch_bucket(switch, shape):
    """Commands for ip and for tc: what enters the switch from nodes and other switches goes through one token bucket."""
    if switch.max_rate is None:
        return [], []
    ports = [node.name for node in shape.nodes if node.switch == switch.name] + [f"{child}-dn" for child in switch.children]
    if switch.parent:
        ports.append(f"{switch.name}-up")
    bucket = f"mb.{switch.name}"  # no name of a node or switch has a dot
    queues = _tbf(bucket, switch.max_rate, shape.burst)
    for port in ports:
        queues += [f"qdisc add dev {port} clsact", f"filter add dev {port} ingress protocol all u32 match u32 0 0 action mirred egress redirect dev {bucket}"]
    return [f"link add {bucket} type ifb", f"link set {bucket} addrgenmode none up"], queues


def build(state, shape):
    nodes, controller, login = addresses(shape, state.number)
    fabric = namespace(state)
    hosts = [node.name for node in shape.nodes] + [LOGIN]
    ports = [switch.uplink for switch in shape.switches if switch.uplink] + [node.port for node in shape.nodes]
    if any(port.half_duplex for port in ports) or any(switch.max_rate for switch in shape.switches):
        _load_ifb()
    _batch("ip", [f"netns add {fabric}"] + [f"netns add {namespace(state, name)}" for name in hosts])
    links, queues = ["link set lo up"], []
    for switch in shape.switches:
        links += [f"link add br-{switch.name} type bridge", f"link set br-{switch.name} addrgenmode none up"]
    for switch in shape.switches:
        if switch.parent is None:
            continue
        up, down = f"{switch.name}-up", f"{switch.name}-dn"
        links += [f"link add {up} type veth peer name {down}",
                  f"link set {up} master br-{switch.name} addrgenmode none up",
                  f"link set {down} master br-{switch.parent} addrgenmode none up"]
        if switch.uplink and switch.uplink.half_duplex:
            devices, shared = _one_bucket(up, f"hu-{switch.name}", switch.uplink.out, shape.burst)
            links, queues = links + devices, queues + shared
        elif switch.uplink:
            queues += _tbf(up, switch.uplink.out, shape.burst) + _tbf(down, switch.uplink.into, shape.burst)
    for node in shape.nodes:
        links += [f"link add {node.name} type veth peer name eth0 netns {namespace(state, node.name)}",
                  f"link set {node.name} master br-{node.switch} addrgenmode none up"]
        if node.port.half_duplex:
            devices, shared = _one_bucket(node.name, f"hd-{node.name}", node.port.out, shape.burst)
            links, queues = links + devices, queues + shared
        else:
            queues += _tbf(node.name, node.port.into, shape.burst)
    for switch in shape.switches:
        devices, bucket = _switch_bucket(switch, shape)
        links, queues = links + devices, queues + bucket
    root = f"br-{shape.root.name}"
    links += [f"link add {LOGIN} type veth peer name eth0 netns {namespace(state, LOGIN)}",
              f"link set {LOGIN} master {root} addrgenmode none up",
              f"addr add {controller}/24 dev {root}"]
    _batch("ip", links, fabric)
    _batch("tc", queues, fabric)
    for name, address in zip(hosts, nodes + [login]):
        _batch("ip", ["link set lo up", "link set eth0 addrgenmode none up", f"addr add {address}/24 dev eth0"],
               namespace(state, name))
    for node in shape.nodes:
        out = [] if node.port.half_duplex else _tbf("eth0", node.port.out, shape.burst)
        _batch("tc", out or ["qdisc show"], namespace(state, node.name))


def remove(state):
    names = namespaces(state)
    if names:
        _batch("ip", [f"netns del {name}" for name in names])
