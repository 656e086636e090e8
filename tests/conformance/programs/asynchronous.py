import asyncio, signal


async def echo(reader, writer):
    writer.write(await reader.readline())
    await writer.drain()
    writer.close()


async def main():
    p = await asyncio.create_subprocess_exec("cat", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
    assert (await p.communicate(b"sub"))[0] == b"sub" and p.returncode == 0
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    for host in ("127.0.0.1", "localhost"):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(b"ping\n")
        assert await reader.readline() == b"ping\n"
        writer.close()
    assert await asyncio.to_thread(sum, [1, 2, 3]) == 6
    assert await asyncio.gather(*(asyncio.sleep(0.01, i) for i in range(50))) == list(range(50))
    try:
        await asyncio.wait_for(asyncio.sleep(60), 0.05)
        raise AssertionError("no timeout")
    except asyncio.TimeoutError:
        pass
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, lambda: None)
    print("ok")


asyncio.run(main())
