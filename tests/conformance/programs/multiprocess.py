import multiprocessing
from multiprocessing import shared_memory


def square(n):
    return n * n


def put(shared, found, n):
    shared[n] = n * n
    found.append(n)


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(square, range(5)) == [0, 1, 4, 9, 16], method
    with multiprocessing.Manager() as manager:
        shared, found = manager.dict(), manager.list()
        children = [multiprocessing.Process(target=put, args=(shared, found, n)) for n in range(3)]
        for c in children:
            c.start()
        for c in children:
            c.join()
        assert dict(shared) == {0: 0, 1: 1, 2: 4} and sorted(found) == [0, 1, 2]
    queue, value, gate = multiprocessing.Queue(), multiprocessing.Value("i", 1), multiprocessing.Semaphore(1)
    queue.put("q")
    with value.get_lock():
        value.value += 1
    assert (queue.get(), value.value, gate.acquire(timeout=1)) == ("q", 2, True)
    memory = shared_memory.SharedMemory(create=True, size=4096)
    memory.buf[0] = 7
    again = shared_memory.SharedMemory(memory.name)
    assert again.buf[0] == 7
    again.close()
    memory.close()
    memory.unlink()
    print("ok")
