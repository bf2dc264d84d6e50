"""Builds, starts and stops a real control plane on loopback: etcd and kube-apiserver, nothing else.

Knows nothing of CRDs or Kopf. Everything it needs is cached outside the repository; everything it starts listens
on 127.0.0.1, keeps its data in a throw-away folder, and is stopped by whoever started it.
"""

import contextlib
import ctypes
import dataclasses
import glob
import json
import os
import pathlib
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.request

KUBERNETES = "1.37.2"
HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "kopf-crd"
BUILD_SECONDS = 55 * 60
READY_SECONDS = 120


class Missing(Exception):
    """Something outside the repository is not here: what, and how to get it."""


@dataclasses.dataclass
class Plane:
    """A running control plane and how to reach it."""

    folder: str
    server: str
    token: str
    ca: str
    etcd: str
    kubeconfig: str
    pids: list


def build(say=print):
    """The path of kube-apiserver, built from its Go module unless the cache has it. About ten minutes cold."""
    binary = CACHE / f"kube-apiserver-{KUBERNETES}"
    if binary.exists():
        return str(binary)
    go = shutil.which("go")
    if not go:
        raise Missing("no Go: install Go 1.26 or later, kube-apiserver is built from its module")
    CACHE.mkdir(parents=True, exist_ok=True)
    say(f"building kube-apiserver {KUBERNETES} into {binary} (about ten minutes on two cores, once)")
    partial = binary.with_suffix(f".{os.getpid()}.partial")
    command = [go, "build", "-mod=readonly", "-trimpath", "-ldflags=-s -w", "-o", str(partial)]
    command.append("k8s.io/kubernetes/cmd/kube-apiserver")
    try:
        built = subprocess.run(
            command, cwd=HERE / "apiserver", timeout=BUILD_SECONDS, capture_output=True, text=True, preexec_fn=lambda: os.nice(10)
        )
    except subprocess.TimeoutExpired:
        raise Missing(f"kube-apiserver did not build within {BUILD_SECONDS} seconds") from None
    if built.returncode != 0:
        raise Missing("kube-apiserver did not build: " + built.stderr.strip()[-400:])
    partial.rename(binary)
    return str(binary)


def find_etcd(say=print):
    """The path of etcd: the system's, or Debian's package unpacked in the cache.

    The package is unpacked, not installed: installing it would start a system service on etcd's usual port.
    """
    found = shutil.which("etcd") or shutil.which(str(CACHE / "etcd/usr/bin/etcd"))
    if found:
        return found
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        raise Missing("no etcd, and no Debian packages to take it from: install etcd 3.4 or later")
    say("taking etcd from Debian's package etcd-server")
    with tempfile.TemporaryDirectory() as folder:
        get = ["apt-get", "-q", "download", "etcd-server"]
        if subprocess.run(get, cwd=folder, capture_output=True, timeout=300).returncode != 0:
            subprocess.run(["apt-get", "-q", "update"], capture_output=True, timeout=300)
            subprocess.run(get, cwd=folder, capture_output=True, timeout=300)
        packages = glob.glob(folder + "/etcd-server_*.deb")
        if not packages:
            raise Missing("no etcd: `apt-get download etcd-server` gave nothing; run `apt-get update` as root")
        subprocess.run(["dpkg-deb", "-x", packages[0], str(CACHE / "etcd")], check=True, timeout=60)
    return str(CACHE / "etcd/usr/bin/etcd")


def start(folder, die_with_us=True, say=print):
    """Starts both programs with their data in `folder` and waits until the API server is ready."""
    apiserver, etcd = build(say), find_etcd(say)
    if not shutil.which("openssl"):
        raise Missing("no openssl: it makes the throw-away key for service accounts")
    key = f"{folder}/service-accounts.key"
    subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True, timeout=60)
    token = secrets.token_hex(16)
    tokens = f"{folder}/tokens.csv"
    with open(os.open(tokens, os.O_WRONLY | os.O_CREAT, 0o600), "w") as out:
        out.write(f'{token},live,live,"system:masters"\n')
    client, peer, secure = free_ports(3)
    started = []
    try:
        started.append(spawn(etcd_command(etcd, folder, client, peer), f"{folder}/etcd.log", die_with_us))
        command = apiserver_command(apiserver, folder, client, secure, key, tokens)
        started.append(spawn(command, f"{folder}/apiserver.log", die_with_us))
        plane = Plane(
            folder=folder,
            server=f"https://127.0.0.1:{secure}",
            token=token,
            ca=f"{folder}/certs/apiserver.crt",
            etcd=f"http://127.0.0.1:{client}",
            kubeconfig=f"{folder}/kubeconfig",
            pids=[[it.pid, birth(it.pid)] for it in started],
        )
        wait_until_ready(plane, started)
    except BaseException:
        end(started)
        raise
    write_kubeconfig(plane)
    return plane, started


def etcd_command(etcd, folder, client, peer):
    """etcd's command line: one member, loopback only."""
    peers = f"http://127.0.0.1:{peer}"
    clients = f"http://127.0.0.1:{client}"
    return [
        etcd, "--name=live", f"--data-dir={folder}/etcd", f"--listen-client-urls={clients}", f"--advertise-client-urls={clients}",
        f"--listen-peer-urls={peers}", f"--initial-advertise-peer-urls={peers}", f"--initial-cluster=live={peers}",
        "--log-level=error",
    ]  # fmt: skip


def apiserver_command(binary, folder, client, secure, key, tokens):
    """kube-apiserver's command line. Nothing here changes what it does to custom resources."""
    return [
        binary, f"--etcd-servers=http://127.0.0.1:{client}", "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
        f"--secure-port={secure}", f"--cert-dir={folder}/certs", "--service-cluster-ip-range=10.0.0.0/24",
        "--endpoint-reconciler-type=none", "--authorization-mode=AlwaysAllow", f"--token-auth-file={tokens}",
        "--disable-admission-plugins=ServiceAccount", "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}", "--profiling=false",
    ]  # fmt: skip


def spawn(command, log, die_with_us):
    """One child with its output in a log. It ends with its parent where the kernel offers that."""
    with open(log, "ab") as out:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
            preexec_fn=end_with_parent if die_with_us else None,
        )  # fmt: skip


def end_with_parent():
    """In the child: ask the kernel for SIGTERM when the parent dies (PR_SET_PDEATHSIG)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def wait_until_ready(plane, started):
    """Polls /readyz until it answers 200; says the log's last lines when a program ended instead."""
    deadline = time.monotonic() + READY_SECONDS
    unverified = ssl._create_unverified_context()  # The certificate appears only while the server starts.
    while time.monotonic() < deadline:
        for process, log in zip(started, ("etcd.log", "apiserver.log")):
            if process.poll() is not None:
                text = pathlib.Path(plane.folder, log).read_text(errors="replace")
                raise RuntimeError(f"{log}: ended with {process.returncode}: {text[-600:]}")
        request = urllib.request.Request(plane.server + "/readyz", headers={"Authorization": f"Bearer {plane.token}"})
        with contextlib.suppress(OSError):
            with urllib.request.urlopen(request, context=unverified, timeout=5) as answer:
                if answer.status == 200:
                    return
        time.sleep(0.2)
    raise RuntimeError(f"kube-apiserver was not ready within {READY_SECONDS} seconds, see {plane.folder}/apiserver.log")


def write_kubeconfig(plane):
    """A kubeconfig, as JSON, which is YAML."""
    cluster = {"server": plane.server, "certificate-authority": plane.ca}
    config = {
        "apiVersion": "v1", "kind": "Config", "current-context": "live",
        "clusters": [{"name": "live", "cluster": cluster}], "users": [{"name": "live", "user": {"token": plane.token}}],
        "contexts": [{"name": "live", "context": {"cluster": "live", "user": "live", "namespace": "default"}}],
    }  # fmt: skip
    with open(os.open(plane.kubeconfig, os.O_WRONLY | os.O_CREAT, 0o600), "w") as out:
        json.dump(config, out, indent=1)


@contextlib.contextmanager
def running(say=print):
    """A control plane for the length of a `with` block; its folder is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="kopf-crd-live-") as folder:
        plane, started = start(folder, say=say)
        try:
            yield plane
        finally:
            end(started)


def end(started):
    """Ends our children, the API server first, and waits for each."""
    for process in reversed(started):
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)


def stop(plane):
    """Ends the processes that `up` recorded; a process id that another program has taken since is left alone."""
    for pid, born in reversed(plane.pids):
        for how in (signal.SIGTERM, signal.SIGKILL):
            if birth(pid) != born:
                break
            os.kill(pid, how)
            deadline = time.monotonic() + 10
            while birth(pid) == born and time.monotonic() < deadline:
                time.sleep(0.1)


def birth(pid):
    """When a process started, in clock ticks since boot; None when it is gone or a zombie."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else fields[19]


def free_ports(count):
    """Ports that were free a moment ago; all are held until the last is found, so they differ."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [it.getsockname()[1] for it in held]
    for it in held:
        it.close()
    return ports


def default_folder():
    """Where `up` keeps its state unless told otherwise."""
    return pathlib.Path(tempfile.gettempdir(), f"kopf-crd-live-{os.getuid()}")
