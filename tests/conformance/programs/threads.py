import concurrent.futures, queue, threading

found, lock, todo = [], threading.Lock(), queue.Queue()


def work():
    while (n := todo.get()) is not None:
        with lock:
            found.append(n * n)


workers = [threading.Thread(target=work) for _ in range(8)]
for t in workers:
    t.start()
for n in [*range(100), *[None] * 8]:
    todo.put(n)
for t in workers:
    t.join()
assert sorted(found) == [n * n for n in range(100)]
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    assert sum(pool.map(abs, range(-50, 50))) == 2500
assert threading.Event().wait(0.01) is False
print("ok")
