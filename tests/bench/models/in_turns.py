"""What the *_torch.py share: training steps of PyTorch and of ours, in rounds of turns, in processor time of one thread."""
import subprocess
import time

import torch


def add_options(parser, rounds, steps):
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--compile", action="store_true", help="training also by torch.compile of the loss")


def seconds(device="cpu"):
    if device == "cpu":
        return time.process_time()
    torch.cuda.synchronize()
    return time.perf_counter()


def printed(command):
    """A contender: the last number that a program prints."""
    return lambda: float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1])


def rate(work, run, device="cpu"):
    """A contender: units of work a second of run(), which does so many."""
    def measured():
        start = seconds(device)
        run()
        return work / (seconds(device) - start)
    return measured


def compare(title, unit, contenders, rounds):
    """Rates of named contenders, rounds A B C A B C, and by how much "ours", if it is among them, is faster than each other."""
    for name, contender in contenders.items():
        if name != "ours":
            contender()
    found = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            found[name].append(contender())
    middle = lambda values: sorted(values)[len(values) // 2]
    line = [f"{name} {middle(values):.2f} {unit} ({min(values):.2f}-{max(values):.2f})" for name, values in found.items()]
    for name in found:
        if name != "ours" and "ours" in found:
            ratios = sorted(b / a for a, b in zip(found[name], found["ours"]))
            line.append(f"ratio to {name} {middle(ratios):.2f} ({ratios[len(ratios) // 10]:.2f}-{ratios[-1 - len(ratios) // 10]:.2f})")
    print(f"{title}: " + ", ".join(line), flush=True)


def compare_training(model, loss_at, command, options, device="cpu", clip=1.0, after=lambda: None, **adamw):
    """loss_at(loss, i) is the loss of step i by loss, the model's own or the compiled one; `command` without one PyTorch alone."""
    def steps(loss, optimizer):
        for i in range(options.steps):
            optimizer.zero_grad()
            loss_at(loss, i).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
            optimizer.step()
            after()

    contenders = {}
    for name in ("eager", "compiled") if options.compile else ("eager",):
        loss = torch.compile(model.loss) if name == "compiled" else model.loss
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, **adamw)
        contenders[name] = rate(options.steps, lambda loss=loss, optimizer=optimizer: steps(loss, optimizer), device)
    if command:
        contenders["ours"] = printed(command)
    compare("training", "steps/s", contenders, options.rounds)
