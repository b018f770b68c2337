//! Parts of a tier: kustomize-controller builds a Kustomization in time that grows faster than
//! its objects, so that a tier of many clusters is cut.

use sha2::{Digest, Sha256};

/// The most clusters that one Kustomization brings a release to.
pub const MAX_CLUSTERS: usize = 500;

/// For each of `clusters`, the part of the tier that its release lies in, from 0.
///
/// Up to [`MAX_CLUSTERS`] there is one part. Beyond, a cluster's part is taken from the leading
/// bits of the hash of its name, with the fewest bits that leave no part too large: clusters that
/// come and go move nobody else, until the number of bits changes.
pub fn parts(clusters: &[&str]) -> Vec<usize> {
    let hashes: Vec<u32> = clusters.iter().map(|name| leading_bits(name)).collect();
    for bits in 0..=16 {
        let part = |hash: u32| {
            if bits == 0 {
                0
            } else {
                (hash >> (32 - bits)) as usize
            }
        };
        let mut sizes = vec![0_usize; 1 << bits];
        for hash in &hashes {
            sizes[part(*hash)] += 1;
        }
        if sizes.iter().all(|size| *size <= MAX_CLUSTERS) {
            return hashes.iter().map(|hash| part(*hash)).collect();
        }
    }
    // Unreachable for fewer than tens of millions of clusters; then the last cut is as good as any.
    hashes.iter().map(|hash| (hash >> 16) as usize).collect()
}

fn leading_bits(name: &str) -> u32 {
    let hash = Sha256::digest(name);
    u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|index| format!("cluster-{index}")).collect()
    }

    fn of(names: &[String]) -> Vec<usize> {
        parts(&names.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn up_to_500_clusters_are_one_part() {
        assert_eq!(of(&names(500)), vec![0; 500]);
    }

    #[test]
    fn no_part_is_larger_than_500() {
        for count in [501, 1_000, 3_000, 10_000] {
            let parts = of(&names(count));
            for part in 0..=*parts.iter().max().unwrap() {
                assert!(
                    parts.iter().filter(|p| **p == part).count() <= MAX_CLUSTERS,
                    "{count}"
                );
            }
        }
    }

    #[test]
    fn a_cluster_that_comes_moves_nobody_else() {
        let before = of(&names(700));
        let after = of(&names(720));
        assert_eq!(before, after[..700]);
    }
}
