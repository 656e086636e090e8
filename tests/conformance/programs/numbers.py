import numpy

a = numpy.random.default_rng(1).normal(size=(100, 100))
assert numpy.allclose(a @ numpy.linalg.inv(a), numpy.eye(100))
assert numpy.linalg.svd(a)[1].shape == (100,) and numpy.fft.fft(a).dtype == complex
numpy.save("a.npy", a)
assert (numpy.load("a.npy", mmap_mode="r") == a).all()
print("ok")
