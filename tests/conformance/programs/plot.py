import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt

plt.plot([1, 2, 3], [1, 4, 9], label="x²")
plt.title("Größe")
plt.legend()
for kind, magic in (("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")):
    plt.savefig("plot." + kind)
    assert open("plot." + kind, "rb").read(8).startswith(magic), kind
print("ok")
