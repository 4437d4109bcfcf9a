// Some of the workloads with the standard library's ArenaAllocator; see ../foreign.go:
//
//     arena zig struct16 n seconds
//
// It prints what it has measured.

const std = @import("std");
const Arena = std.heap.ArenaAllocator;

var io: std.Io = undefined;

fn newArena() Arena {
    return .init(std.heap.page_allocator);
}

fn seconds(clock: std.Io.Clock) f64 {
    return @as(f64, @floatFromInt(clock.now(io).nanoseconds)) / 1e9;
}

// Returns the bytes of a line of /proc/self/status, or 0 where there is none.
fn status(name: []const u8) u64 {
    var buffer: [8192]u8 = undefined;
    const text = std.Io.Dir.cwd().readFile(io, "/proc/self/status", &buffer) catch return 0;
    var lines = std.mem.tokenizeScalar(u8, text, '\n');
    while (lines.next()) |line| {
        if (std.mem.startsWith(u8, line, name)) {
            const kilobytes = std.mem.trim(u8, line[name.len..], " \tkB");
            return 1024 * (std.fmt.parseInt(u64, kilobytes, 10) catch 0);
        }
    }
    return 0;
}

const Meter = struct {
    before: u64,
    cpu: f64,
    wall: f64,

    fn start(before: u64) Meter {
        return .{ .before = before, .cpu = seconds(.cpu_process), .wall = seconds(.awake) };
    }

    fn stop(m: Meter, rounds: u64, check: u64, units: u64) !void {
        const n: f64 = @floatFromInt(rounds);
        const wall, const cpu = .{ (seconds(.awake) - m.wall) / n, (seconds(.cpu_process) - m.cpu) / n };
        var buffer: [512]u8 = undefined;
        var out = std.Io.File.stdout().writerStreaming(io, &buffer);
        try out.interface.print("{{\"Rounds\": {d}, \"Units\": {d}, \"Wall\": {e}, \"CPU\": {e}, \"Before\": {d}, \"Peak\": {d}, \"Check\": {d}}}\n", .{
            rounds, units, wall, cpu, m.before, status("VmHWM:"), check,
        });
        try out.interface.flush();
    }
};

fn reset(arena: *Arena) void {
    _ = arena.reset(.retain_capacity);
}

const Small = struct { a: i64, b: i64 };

fn smalls(arena: *Arena, n: usize) !u64 {
    defer reset(arena);
    const allocator = arena.allocator();
    const all = try allocator.alloc(*Small, n);
    for (all) |*v| {
        v.* = try allocator.create(Small);
        v.*.* = .{ .a = 0, .b = 0 };
    }
    for (all, 0..) |v, i| {
        v.a += @intCast(i);
        v.b += 1;
    }
    var sum: u64 = 0;
    for (all) |v| sum += @intCast(v.a + v.b);
    return sum;
}

fn make(allocator: std.mem.Allocator, value: anytype) !void {
    const p = try allocator.create(@TypeOf(value));
    p.* = value;
    std.mem.doNotOptimizeAway(p);
}

// Makes values of five types in turns, those of ../../small/fresh.go. There are no scopes: a reset
// ends them.
fn scopes(arena: *Arena, n: usize) !u64 {
    const times = 100;
    for (0..times) |_| {
        defer reset(arena);
        const allocator = arena.allocator();
        for (0..n) |i| switch (i % 5) {
            0 => try make(allocator, @as(i64, 0)),
            1 => try make(allocator, [2]i64{ 0, 0 }),
            2 => try make(allocator, @as([]const u8, "")),
            3 => try make(allocator, struct { ?*i64, i64 }{ null, 0 }),
            else => try make(allocator, struct { []const u8, ?*[2]i64 }{ "", null }),
        };
    }
    return times * n;
}

fn repeat(comptime work: fn (*Arena, usize) anyerror!u64, n: usize, duration: f64) !void {
    const before = status("VmRSS:");
    var arena = newArena();
    const check = try work(&arena, n);
    const m: Meter = .start(before);
    var rounds: u64 = 0;
    while (rounds == 0 or seconds(.awake) - m.wall < duration) {
        rounds += 1;
        if (try work(&arena, n) != check) return error.OtherThanBefore;
    }
    try m.stop(rounds, check, 0);
}

const Node = struct {
    left: ?*Node = null,
    right: ?*Node = null,

    fn count(node: *Node) u64 {
        const left, const right = .{ node.left orelse return 1, node.right orelse return 1 };
        return 1 + left.count() + right.count();
    }
};

fn tree(allocator: std.mem.Allocator, depth: usize) !*Node {
    var children: Node = .{};
    if (depth > 0) {
        children = .{ .left = try tree(allocator, depth - 1), .right = try tree(allocator, depth - 1) };
    }
    const node = try allocator.create(Node);
    node.* = children;
    return node;
}

fn trees(n: usize) !void {
    const m: Meter = .start(status("VmRSS:"));
    var nodes: u64 = 0;
    {
        var stretch = newArena();
        defer stretch.deinit();
        nodes += (try tree(stretch.allocator(), n + 1)).count();
    }
    var long = newArena();
    defer long.deinit();
    nodes += (try tree(long.allocator(), n)).count();
    var arena = newArena();
    defer arena.deinit();
    var depth: usize = 4;
    while (depth <= n) : (depth += 2) {
        for (0..@as(usize, 1) << @intCast(n - depth + 4)) |_| {
            nodes += (try tree(arena.allocator(), depth)).count();
            reset(&arena);
        }
    }
    try m.stop(1, nodes, nodes);
}

pub fn main(init: std.process.Init) !void {
    io = init.io;
    const arguments = try init.minimal.args.toSlice(init.arena.allocator());
    if (arguments.len == 5 and std.mem.eql(u8, arguments[1], "zig")) {
        const n = try std.fmt.parseInt(usize, arguments[3], 10);
        const duration = try std.fmt.parseFloat(f64, arguments[4]);
        const workload = arguments[2];
        if (std.mem.eql(u8, workload, "struct16")) return repeat(smalls, n, duration);
        if (std.mem.eql(u8, workload, "fresh-5")) return repeat(scopes, n, duration);
        if (std.mem.eql(u8, workload, "trees")) return trees(n);
    }
    std.debug.print("usage: {s} zig struct16|fresh-5|trees n seconds\n", .{arguments[0]});
    std.process.exit(2);
}
