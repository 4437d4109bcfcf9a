// The binary trees of the Benchmarks Game with bumpalo; see ../../main.go.

use bumpalo::Bump;

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

fn main() {
    let n: u32 = std::env::args().nth(1).and_then(|s| s.parse().ok()).expect("usage: trees depth");
    {
        let stretch = Bump::new();
        println!("stretch tree of depth {}\t check: {}", n + 1, count(tree(&stretch, n + 1)));
    }
    let long = Bump::new();
    let root = tree(&long, n);
    let mut bump = Bump::new();
    for depth in (4..=n).step_by(2) {
        let trees = 1 << (n - depth + 4);
        let mut sum = 0;
        for _ in 0..trees {
            sum += count(tree(&bump, depth));
            bump.reset();
        }
        println!("{}\t trees of depth {}\t check: {}", trees, depth, sum);
    }
    println!("long lived tree of depth {}\t check: {}", n, count(root));
}
