// Two of the workloads with bumpalo; see ../../foreign.go:
//
//	objects struct16 n seconds
//	objects trees depth
//
// It prints what it has measured.

use bumpalo::Bump;
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

struct Small {
    a: i64,
    b: i64,
}

fn smalls(bump: &mut Bump, n: usize) -> u64 {
    let mut sum = 0;
    {
        let bump = &*bump;
        let all = bump.alloc_slice_fill_with(n, |_| bump.alloc(Small { a: 0, b: 0 }));
        for (i, v) in all.iter_mut().enumerate() {
            v.a += i as i64;
            v.b += 1;
        }
        for v in all.iter() {
            sum += (v.a + v.b) as u64;
        }
    }
    bump.reset();
    sum
}

fn struct16(n: usize, seconds: f64) {
    let before = status("VmRSS:");
    let mut bump = Bump::new();
    let check = smalls(&mut bump, n);
    let m = start(before);
    let mut rounds = 0;
    while rounds == 0 || m.wall.elapsed().as_secs_f64() < seconds {
        rounds += 1;
        assert_eq!(smalls(&mut bump, n), check);
    }
    m.stop(rounds, check, 0);
}

struct Node<'a> {
    left: Option<&'a Node<'a>>,
    right: Option<&'a Node<'a>>,
}

fn tree<'a>(bump: &'a Bump, depth: u32) -> &'a Node<'a> {
    if depth == 0 {
        return bump.alloc(Node { left: None, right: None });
    }
    let (left, right) = (tree(bump, depth - 1), tree(bump, depth - 1));
    bump.alloc(Node { left: Some(left), right: Some(right) })
}

fn count(node: &Node) -> u64 {
    match (node.left, node.right) {
        (Some(left), Some(right)) => 1 + count(left) + count(right),
        _ => 1,
    }
}

fn trees(n: u32) {
    let m = start(status("VmRSS:"));
    let mut nodes = {
        let stretch = Bump::new();
        count(tree(&stretch, n + 1))
    };
    let long = Bump::new();
    nodes += count(tree(&long, n));
    let mut bump = Bump::new();
    for depth in (4..=n).step_by(2) {
        for _ in 0..1 << (n - depth + 4) {
            nodes += count(tree(&bump, depth));
            bump.reset();
        }
    }
    drop(bump);
    drop(long);
    m.stop(1, nodes, nodes);
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| arguments.get(i).and_then(|s| s.parse::<f64>().ok());
    match (arguments.first().map(String::as_str), number(1), number(2)) {
        (Some("struct16"), Some(n), Some(seconds)) => struct16(n as usize, seconds),
        (Some("trees"), Some(depth), _) => trees(depth as u32),
        _ => {
            eprintln!("usage: objects struct16 n seconds, or objects trees depth");
            std::process::exit(2);
        }
    }
}
