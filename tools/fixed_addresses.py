"""How to start a program that is built with sanitizers."""
import subprocess


def fixed_addresses():
    """Sanitizers of older compilers cannot start under strong address randomisation."""
    prefix = ["setarch", "-R"]
    try:
        works = subprocess.run(prefix + ["true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        works = False
    return prefix if works else []
