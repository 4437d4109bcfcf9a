// Some of the workloads with bumpalo, bump-scope and mimalloc; see ../../foreign.go:
//
//	objects bumpalo struct16 n seconds
//
// It prints what it has measured.

use libmimalloc_sys as _; // mimalloc's C
use std::hint::black_box;
use std::time::Instant;

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
}

// CLOCK_PROCESS_CPUTIME_ID of Linux, and of macOS.
const CLOCK: i32 = if cfg!(target_os = "macos") { 12 } else { 2 };

// Returns the seconds that the process has taken of all processors.
fn cpu() -> f64 {
    let mut t = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: the time is as the C library of 64-bit systems has it.
    assert_eq!(unsafe { clock_gettime(CLOCK, &mut t) }, 0);
    t.seconds as f64 + t.nanoseconds as f64 / 1e9
}

// Returns the bytes of a line of /proc/self/status, or 0 where there is none.
fn status(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix(name));
    let kilobytes: u64 = line.and_then(|l| l.trim_end_matches("kB").trim().parse().ok()).unwrap_or(0);
    kilobytes << 10
}

struct Meter {
    before: u64,
    cpu: f64,
    wall: Instant,
}

fn start(before: u64) -> Meter {
    Meter { before, cpu: cpu(), wall: Instant::now() }
}

impl Meter {
    fn stop(&self, rounds: u64, check: u64, units: u64) {
        let (wall, cpu) = (self.wall.elapsed().as_secs_f64(), cpu() - self.cpu);
        let n = rounds as f64;
        println!(
            "{{\"Rounds\": {}, \"Units\": {}, \"Wall\": {:e}, \"CPU\": {:e}, \"Before\": {}, \"Peak\": {}, \"Check\": {}}}",
            rounds, units, wall / n, cpu / n, self.before, status("VmHWM:"), check
        );
    }
}

trait Alloc {
    fn alloc<T>(&self, value: T) -> &mut T;
    fn slice<T>(&self, n: usize, element: impl FnMut() -> T) -> &mut [T];
}

trait Arena: Alloc {
    fn new() -> Self;
    fn reset(&mut self);
    // Makes n values of five types in a scope, or before a reset where there are none.
    fn scope(&mut self, n: usize) {
        five(self, n);
        self.reset();
    }
}

impl Alloc for bumpalo::Bump {
    fn alloc<T>(&self, value: T) -> &mut T {
        self.alloc(value)
    }
    fn slice<T>(&self, n: usize, mut element: impl FnMut() -> T) -> &mut [T] {
        self.alloc_slice_fill_with(n, |_| element())
    }
}

impl Arena for bumpalo::Bump {
    fn new() -> Self {
        Self::new()
    }
    fn reset(&mut self) {
        self.reset();
    }
}

impl Alloc for bump_scope::BumpScope<'_> {
    fn alloc<T>(&self, value: T) -> &mut T {
        bump_scope::BumpBox::leak(self.alloc(value))
    }
    fn slice<T>(&self, n: usize, element: impl FnMut() -> T) -> &mut [T] {
        bump_scope::BumpBox::leak(self.alloc_slice_fill_with(n, element))
    }
}

impl Alloc for bump_scope::Bump {
    fn alloc<T>(&self, value: T) -> &mut T {
        Alloc::alloc(self.as_scope(), value)
    }
    fn slice<T>(&self, n: usize, element: impl FnMut() -> T) -> &mut [T] {
        Alloc::slice(self.as_scope(), n, element)
    }
}

impl Arena for bump_scope::Bump {
    fn new() -> Self {
        Self::new()
    }
    fn reset(&mut self) {
        self.reset();
    }
    fn scope(&mut self, n: usize) {
        self.scoped(|scope| five(&*scope, n));
    }
}

#[repr(C)]
struct CHeap {
    opaque: [u8; 0],
}

extern "C" {
    fn mi_heap_new() -> *mut CHeap;
    fn mi_heap_destroy(heap: *mut CHeap);
    fn mi_heap_theap(heap: *mut CHeap) -> *mut CHeap;
    fn mi_theap_malloc(local: *mut CHeap, size: usize) -> *mut u8;
}

// A heap of mimalloc, and the part of it that belongs to this thread.
struct Heap {
    heap: *mut CHeap,
    local: *mut CHeap,
}

impl Heap {
    fn allocate<T>(&self, n: usize) -> *mut T {
        assert!(align_of::<T>() <= 16);
        // SAFETY: the local heap lives as long as the heap does.
        let p = unsafe { mi_theap_malloc(self.local, n * size_of::<T>()) };
        assert!(!p.is_null());
        p.cast()
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        // SAFETY: all that is in the heap borrows it.
        unsafe { mi_heap_destroy(self.heap) }
    }
}

impl Alloc for Heap {
    fn alloc<T>(&self, value: T) -> &mut T {
        let p = self.allocate::<T>(1);
        // SAFETY: it has the size and the alignment of a T.
        unsafe {
            p.write(value);
            &mut *p
        }
    }
    fn slice<T>(&self, n: usize, mut element: impl FnMut() -> T) -> &mut [T] {
        let p = self.allocate::<T>(n);
        // SAFETY: it has room for n of them.
        unsafe {
            for i in 0..n {
                p.add(i).write(element());
            }
            std::slice::from_raw_parts_mut(p, n)
        }
    }
}

impl Arena for Heap {
    fn new() -> Self {
        // SAFETY: there is nothing to be kept.
        let heap = unsafe { mi_heap_new() };
        assert!(!heap.is_null());
        // SAFETY: the heap is there.
        Heap { heap, local: unsafe { mi_heap_theap(heap) } }
    }
    fn reset(&mut self) {
        *self = Self::new();
    }
}

struct Small {
    a: i64,
    b: i64,
}

fn smalls(arena: &mut impl Arena, n: usize) -> u64 {
    let mut sum = 0;
    {
        let arena = &*arena;
        let all = arena.slice(n, || arena.alloc(Small { a: 0, b: 0 }));
        for (i, v) in all.iter_mut().enumerate() {
            v.a += i as i64;
            v.b += 1;
        }
        for v in all.iter() {
            sum += (v.a + v.b) as u64;
        }
    }
    arena.reset();
    sum
}

// Makes values of five types in turns, those of ../../../small/fresh.go.
fn five(arena: &(impl Alloc + ?Sized), n: usize) {
    let mut t = 0;
    for _ in 0..n {
        match t {
            0 => {
                black_box(arena.alloc(0i64));
            }
            1 => {
                black_box(arena.alloc((0i64, 0i64)));
            }
            2 => {
                black_box(arena.alloc(""));
            }
            3 => {
                black_box(arena.alloc((None::<&i64>, 0i64)));
            }
            _ => {
                black_box(arena.alloc(("", None::<&(i64, i64)>)));
            }
        }
        t = if t == 4 { 0 } else { t + 1 };
    }
}

const TIMES: u64 = 100;

fn scopes(arena: &mut impl Arena, n: usize) -> u64 {
    for _ in 0..TIMES {
        arena.scope(n);
    }
    TIMES * n as u64
}

fn repeat<A: Arena>(work: fn(&mut A, usize) -> u64, n: usize, seconds: f64) {
    let before = status("VmRSS:");
    let mut arena = A::new();
    let check = work(&mut arena, n);
    let m = start(before);
    let mut rounds = 0;
    while rounds == 0 || m.wall.elapsed().as_secs_f64() < seconds {
        rounds += 1;
        assert_eq!(work(&mut arena, n), check);
    }
    m.stop(rounds, check, 0);
}

struct Node<'a> {
    left: Option<&'a Node<'a>>,
    right: Option<&'a Node<'a>>,
}

fn tree<A: Arena>(arena: &A, depth: u32) -> &Node<'_> {
    if depth == 0 {
        return arena.alloc(Node { left: None, right: None });
    }
    let (left, right) = (tree(arena, depth - 1), tree(arena, depth - 1));
    arena.alloc(Node { left: Some(left), right: Some(right) })
}

fn count(node: &Node) -> u64 {
    match (node.left, node.right) {
        (Some(left), Some(right)) => 1 + count(left) + count(right),
        _ => 1,
    }
}

fn trees<A: Arena>(n: u32) {
    let m = start(status("VmRSS:"));
    let mut nodes = {
        let stretch = A::new();
        count(tree(&stretch, n + 1))
    };
    let long = A::new();
    nodes += count(tree(&long, n));
    let mut arena = A::new();
    for depth in (4..=n).step_by(2) {
        for _ in 0..1 << (n - depth + 4) {
            nodes += count(tree(&arena, depth));
            arena.reset();
        }
    }
    drop(arena);
    drop(long);
    m.stop(1, nodes, nodes);
}

// Returns whether there is such a workload.
fn run<A: Arena>(workload: &str, n: usize, seconds: f64) -> bool {
    match workload {
        "struct16" => repeat::<A>(smalls, n, seconds),
        "fresh-5" => repeat::<A>(scopes, n, seconds),
        "trees" => trees::<A>(n as u32),
        _ => return false,
    }
    true
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match &arguments[..] {
        [arena, workload, n, seconds] => match (arena.as_str(), n.parse(), seconds.parse()) {
            ("bumpalo", Ok(n), Ok(seconds)) => run::<bumpalo::Bump>(workload, n, seconds),
            ("bump-scope", Ok(n), Ok(seconds)) => run::<bump_scope::Bump>(workload, n, seconds),
            ("mimalloc", Ok(n), Ok(seconds)) => run::<Heap>(workload, n, seconds),
            _ => false,
        },
        _ => false,
    };
    if !done {
        eprintln!("usage: objects bumpalo|bump-scope|mimalloc struct16|fresh-5|trees n seconds");
        std::process::exit(2);
    }
}
