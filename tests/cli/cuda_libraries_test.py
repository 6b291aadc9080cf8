"""The messages of `stoker devices` about NVIDIA libraries that are too old or of another kind; the driver is emulated."""
import ctypes.util
import os
import unittest

from program import PROGRAM, ProgramTest

CUDA = PROGRAM.parent


@unittest.skipUnless((CUDA / "libstoker_cuda.so").exists() and (CUDA / "emulator").exists(),
                     "the CUDA backend is not built")
class CudaLibraries(ProgramTest):
    def devices(self, **environment):
        """With only the plugin and the emulated driver; other libraries in self.folder take precedence."""
        plugins, libraries = self.folder / "plugins", self.folder / "libraries"
        for folder, file in [(plugins, CUDA / "libstoker_cuda.so"),
                             *((libraries, file) for file in (CUDA / "emulator").iterdir())]:
            folder.mkdir(exist_ok=True)
            (folder / file.name).symlink_to(file)
        return self.succeed("devices", STOKER_BACKEND_PATH=str(plugins), STOKER_CUDA_LIBRARIES=str(libraries),
                            **environment)

    def add_library(self, name, target):
        (self.folder / "libraries").mkdir()
        (self.folder / "libraries" / name).symlink_to(target)

    def test_shows_the_emulated_gpu(self):
        self.assertIn("driver for CUDA 13.0", self.devices())

    def test_a_driver_older_than_what_is_needed(self):
        text = self.devices(STOKER_EMULATED_DRIVER="11080")
        for words in ["CUDA 11.8", "12.4", "default: /cpu:0"]:
            self.assertIn(words, text)

    def test_a_gpu_older_than_what_is_needed(self):
        text = self.devices(STOKER_EMULATED_CAPABILITY="75")
        for words in ["emulated has compute capability 7.5, and 8.0 or newer is needed.", "default: /cpu:0"]:
            self.assertIn(words, text)

    def test_a_library_of_another_kind(self):
        other = ctypes.util.find_library("z")
        self.add_library("libcudnn.so.9", next(folder + other for folder in
                         ("/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/usr/lib64/", "/lib64/")
                         if os.path.exists(folder + other)))
        self.assertRegex(self.devices(), r"libcudnn.so.9.* cudnn\w+")


if __name__ == "__main__":
    unittest.main()
