import unittest

from sanitize_cuda import NOTHING_TO_WATCH, is_clean, scattered

OURS = """========= Uninitialized __global__ memory read of size 4 bytes
=========     at elementwise+0x1c0
=========     by thread (19,0,0) in block (0,0,0)
========= 
"""
CUDNNS = """========= Uninitialized __global__ memory read of size 2 bytes
=========     at void cudnn::ops::nhwcToNchwKernel<__half, __half, float>(int, const T1 *)+0x4e0
=========     by thread (1,0,0) in block (0,0,0)
========= 
"""
A_COPYS = """========= Host API memory access error at host access to 0x7f224ee03034 of size 288 bytes
=========     Uninitialized access to 0x7f224ee03034 on access by cudaMemcpy source
========= 
"""


def said(*findings, errors=None):
    count = len(findings) if errors is None else errors
    return f"========= COMPUTE-SANITIZER\n{''.join(findings)}========= ERROR SUMMARY: {count} errors\n"


class IsClean(unittest.TestCase):
    def test_a_shard_that_leaves_the_gpu_alone(self):
        self.assertTrue(is_clean("memcheck", f"========= {NOTHING_TO_WATCH}\n"))

    def test_reads_of_cudnns_own(self):
        self.assertTrue(is_clean("initcheck", said(CUDNNS, CUDNNS)))

    def test_not_a_read_of_ours_among_cudnns(self):
        self.assertFalse(is_clean("initcheck", said(CUDNNS, OURS)))

    def test_not_a_copy_of_what_nothing_wrote(self):
        self.assertFalse(is_clean("initcheck", said(CUDNNS, A_COPYS)))

    def test_not_what_was_found_and_not_printed(self):
        self.assertFalse(is_clean("initcheck", said(CUDNNS, errors=3)))

    def test_not_what_another_tool_finds_in_cudnn(self):
        self.assertFalse(is_clean("memcheck", said(CUDNNS)))

    def test_not_a_shard_that_failed_otherwise(self):
        self.assertFalse(is_clean("initcheck", said()))
        self.assertFalse(is_clean("initcheck", CUDNNS))


class Scattered(unittest.TestCase):
    def test_is_every_number_once(self):
        for count in [1, 8, 100]:
            self.assertEqual(sorted(scattered(count)), list(range(count)))

    def test_begins_all_over_the_range(self):
        self.assertEqual(scattered(128)[:4], [0, 64, 32, 96])


if __name__ == "__main__":
    unittest.main()
