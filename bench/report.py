"""The printed table and what goes into bench.json."""
import os
from dataclasses import dataclass, field

import cases

NOISY = 1.3  # slowest repetition over fastest
BUSY = 0.5  # load average from which two cores are not ours alone
AT_THE_FLOOR = 1.03  # this close to the sgemm-bound floor counts as ahead


@dataclass
class Time:
    us: float
    noisy: bool

    @staticmethod
    def of(result):
        if result is None:
            return None
        spread = result.get("max_us", result["us"]) / result.get("min_us", result["us"])
        return Time(result["us"], spread > NOISY)


@dataclass
class Row:
    case: cases.Case
    ours: Time
    peers: dict = field(default_factory=dict)
    device: str = "cpu"

    def ratio_to_best(self):
        """Stoker's time divided by the best peer's; below 1 Stoker is faster."""
        best = min((time.us for time in self.peers.values() if time), default=None)
        return self.ours.us / best if self.ours and best else None

    def verdict(self, floors):
        ratio = self.ratio_to_best()
        if ratio is None:
            return ""
        if ratio < 1:
            return "ahead"
        over = over_floor(self, floors)
        return "ahead (at the floor)" if over and over <= AT_THE_FLOOR else "behind"

    def as_json(self):
        ratio = self.ratio_to_best()
        return {"case": self.case.name, "device": self.device, "precision": self.case.precision, "batch": self.case.batch,
                "stoker_us": self.ours.us if self.ours else None,
                "peers": {name: time.us if time else None for name, time in self.peers.items()},
                "ratio_to_best": round(ratio, 4) if ratio else None}


def sgemm_floor_us(case, floors):
    return cases.mlp_step_flops(case) / floors["sgemm_gflops"] / 1e3


def over_floor(row, floors):
    """Ours over the time that its matrix products alone take, for the row that they bound."""
    if not floors or not row.ours or (row.case.name, row.case.batch) != cases.SGEMM_BOUND:
        return None
    return row.ours.us / sgemm_floor_us(row.case, floors)


def text(time):
    if not time:
        return "-"
    digits = 1 if time.us < 100 else 0
    return f"{time.us:,.{digits}f}{'~' if time.noisy else ''}"


def print_setting(versions, cores):
    load = os.getloadavg()[0]
    print(f"CPU cores {sorted(cores)}, load average {load:.1f}" + (": BUSY, expect wrong figures" if load > BUSY else ""))
    for framework, version in versions.items():
        print(f"  {framework}: {version or 'missing'}")
    print(flush=True)


def print_table(rows, columns, missing, floors):
    lines = [["case", "stoker", *columns, "ratio", ""]]
    for row in rows:
        peers = ["missing" if name in missing else text(row.peers.get(name)) for name in columns]
        ratio = row.ratio_to_best()
        lines.append([row.case.label, text(row.ours), *peers, f"{ratio:.2f}" if ratio else "-", row.verdict(floors)])
    widths = [max(map(len, column)) for column in zip(*lines)]
    print("\nmicroseconds a training step, fit on arrays; ratio: Stoker's time over the best peer's; ~: noisy")
    for line in lines:
        first, *rest = [cell.rjust(width) for cell, width in zip(line[:-1], widths)]
        print("  ".join([line[0].ljust(widths[0]), *rest, line[-1]]).rstrip())


def print_floors(rows, floors):
    if not floors:
        return
    print(f"\nfloors: sgemm {floors['sgemm_gflops']:.0f} GFLOP/s (1024 x 1024 x 1024), "
          f"copy {floors['copy_gbps']:.1f} GB/s")
    for row in rows:
        over = over_floor(row, floors)
        if over:
            print(f"  {row.case.label}: its matrix products alone take {sgemm_floor_us(row.case, floors):,.0f} us "
                  f"at that rate; Stoker's step is {(over - 1) * 100:+.1f} % from there")


def print_startup(startup, missing):
    print("\nmlp128, process start to first step done, and peak memory")
    for name, result in startup.items():
        values = f"{result['first_line_s']:.2f} s  {result['peak_rss_mb']:.0f} MB" if result else "missing" if name in missing else "-"
        print(f"  {name:<18}{values}")


def print_notes(notes):
    if notes:
        print("\nwithout a result:")
        for note in notes:
            print(f"  {note}")
