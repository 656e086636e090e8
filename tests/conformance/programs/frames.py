import pandas

frame = pandas.DataFrame({"k": ["a", "b", "a"], "v": [1, 2, 3], "t": pandas.date_range("2024-01-01", periods=3, tz="Europe/Dublin")})
frame.to_csv("out.csv", index=False)
back = pandas.read_csv("out.csv", parse_dates=["t"])
assert back.groupby("k").v.sum().to_dict() == {"a": 4, "b": 2} and len(back.merge(frame, on="k")) == 5
assert frame.describe().loc["mean", "v"] == 2.0
print("ok")
