"""A private Slurm for tests: two nodes with four CPUs and two GPUs that do not exist, on this machine.

Uses own ports, sockets and folders, so that it runs beside a real Slurm and as any user. Programs:
those of $LVTEXT_SLURM, a folder with unpacked packages, else those that setup.sh --slurm unpacked,
else the installed ones.
"""

import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "slurmstepd", "sbatch", "squeue", "scontrol", "scancel", "sinfo")

SLURM_CONF = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
AuthInfo=socket={folder}/socket,cred_expire=5
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=10
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0,bf_interval=1
MailProg=/bin/true
GresTypes=gpu
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={port1} CPUs=4 RealMemory=8000 Gres=gpu:2
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={port2} CPUs=4 RealMemory=8000 Gres=gpu:2
PartitionName=low Nodes=ALL Default=YES PriorityTier=1
PartitionName=high Nodes=ALL PriorityTier=10 PreemptMode=OFF
"""


def free_ports(count):
    """Returns unused ports."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Missing(Exception):
    """Slurm cannot be had here."""


def find_programs():
    """Returns the environment in which Slurm's programs run, and the folder of its plug-ins or None."""
    environment = dict(os.environ)
    unpacked = pathlib.Path(__file__).resolve().parents[2] / ".lvtext-env/slurm"
    root = os.environ.get("LVTEXT_SLURM", unpacked if unpacked.exists() else "")
    plugins = None
    if root:
        usr = pathlib.Path(root).resolve() / "usr"
        libraries = next(iter(usr.glob("lib/*/slurm-wlm")), usr)
        plugins = libraries
        environment["PATH"] = f"{usr}/sbin:{usr}/bin:{environment['PATH']}"
        known = environment.get("LD_LIBRARY_PATH", "")
        environment["LD_LIBRARY_PATH"] = f"{libraries.parent}:{libraries}" + (f":{known}" if known else "")
    environment["PATH"] += ":/usr/sbin:/sbin"
    missing = [each for each in PROGRAMS if not shutil.which(each, path=environment["PATH"])]
    if missing:
        raise Missing("Slurm is not installed (" + ", ".join(missing) + "); `scripts/setup.sh --slurm` "
                      "unpacks it, and LVTEXT_SLURM=FOLDER names such a folder")
    return environment, plugins


class PrivateSlurm:
    """Starts on `with`, and leaves no process and no file."""

    def __enter__(self):
        self.environment, plugins = find_programs()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm-"))
        self.folder.chmod(0o755)
        (self.folder / "state").mkdir()
        key = self.folder / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        port, port1, port2 = free_ports(3)
        text = SLURM_CONF.format(folder=self.folder, host=socket.gethostname(), user=getpass.getuser(),
                                 port=port, port1=port1, port2=port2)
        if plugins:
            text += f"PluginDir={plugins}\n"
        (self.folder / "slurm.conf").write_text(text)
        # A count without devices would drain the nodes.
        (self.folder / "gres.conf").write_text("Name=gpu File=/dev/null\nName=gpu File=/dev/zero\n")
        self.environment["SLURM_CONF"] = str(self.folder / "slurm.conf")
        self.daemons = []
        try:
            self.start("munged", "--foreground", "--force", f"--key-file={key}",
                       f"--socket={self.folder}/socket", f"--pid-file={self.folder}/munged.pid",
                       f"--log-file={self.folder}/munged.log", f"--seed-file={self.folder}/seed")
            until(lambda: (self.folder / "socket").exists(), "munged")
            self.start("slurmctld", "-D")
            stepd = shutil.which("slurmstepd", path=self.environment["PATH"])
            for node in ("n1", "n2"):
                self.start("slurmd", "-D", "-N", node, "-d", stepd)
            until(lambda: self.run("sinfo", "-h", "-N", "-o", "%t", check=False).split() == ["idle"] * 4,
                  "the nodes")
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self, program, *arguments):
        """Starts a daemon in the foreground, as a child."""
        path = shutil.which(program, path=self.environment["PATH"])
        log = open(self.folder / f"{program}.out", "ab")
        self.daemons.append(subprocess.Popen([path, *arguments], env=self.environment, stdout=log,
                                             stderr=log, stdin=subprocess.DEVNULL))

    def run(self, *command, check=True):
        """Runs a command of Slurm and returns its output."""
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
        return done.stdout

    def queue(self):
        """Returns the jobs and tasks that have not ended: {"12_3": "RUNNING"}."""
        lines = self.run("squeue", "-h", "--array", "-o", "%F_%K %T").splitlines()
        return dict(line.split() for line in lines)

    def wait(self, seconds=120):
        """Waits until the queue is empty."""
        until(lambda: not self.queue(), "the end of all jobs", seconds)

    def __exit__(self, *_):
        # slurmstepd and its jobs outlive slurmd.
        if len(self.daemons) == 4:
            self.run("scancel", "--user", getpass.getuser(), check=False)
            try:
                until(lambda: not self.run("squeue", "-h", check=False).strip(), "canceled jobs", 30)
            except TimeoutError as error:
                print(f"private Slurm: {error}")
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
        for daemon in self.daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def until(condition, what, seconds=20):
    """Waits for a condition; throws TimeoutError."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.1)
