"""Writes a jar that has nothing but a manifest: a main class and a class path (a folder and its jars).

Usage: OUT.jar MAIN-CLASS FOLDER"""
import os
import sys
import zipfile

out, main_class, folder = sys.argv[1:]
jars = sorted(f"{os.path.basename(folder)}/{name}" for name in os.listdir(folder) if name.endswith(".jar"))
entry = "Class-Path: " + " ".join([f"{os.path.basename(folder)}/", *jars])
# A line of a manifest has at most 72 bytes; what follows a line that starts with a space belongs to the one before.
lines = [entry[:70]] + [" " + entry[at : at + 69] for at in range(70, len(entry), 69)]
with zipfile.ZipFile(out, "w") as jar:
    jar.writestr("META-INF/MANIFEST.MF", "\r\n".join(["Manifest-Version: 1.0", f"Main-Class: {main_class}", *lines, "", ""]))
