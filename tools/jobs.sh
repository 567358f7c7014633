#!/usr/bin/env bash
# Prints how many compilers may run at once: one per core, where each has 1.5 GiB of free memory.
set -euo pipefail

cores=$(nproc)
free_kib=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
by_memory=$((free_kib / (1536 * 1024)))
jobs=$((cores < by_memory ? cores : by_memory))
echo $((jobs > 1 ? jobs : 1))
