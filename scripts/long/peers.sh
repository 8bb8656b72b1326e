#!/usr/bin/env bash
# Comparisons with Python packages: tests/peers, with LVTEXT_DATA_MIRROR
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
# shellcheck source=scripts/testing.sh
source "$root/scripts/testing.sh"
cd "$root"

peers="$root/build/long/peers-env"
install_peers() {
  [ -x "$peers/bin/python" ] || python3 -m venv "$peers"
  "$peers/bin/pip" install -q transformers==5.24.0 sentence-transformers==6.2.0 \
    scikit-learn==1.7.2 entmax==1.3 pillow==12.3.0
}

if [ -z "${LVTEXT_DATA_MIRROR:-}" ]; then
  echo "not tested: LVTEXT_DATA_MIRROR is not set"
elif check "installing transformers, sentence-transformers, entmax and pillow" install_peers; then
  check "byte_bpe" "$peers/bin/python" tests/peers/byte_bpe.py build/release/tests/test_text \
    "$LVTEXT_DATA_MIRROR" || true
  check "entmax" "$peers/bin/python" tests/peers/entmax.py build/release/tests/test_nn || true
  check "gpt2" "$peers/bin/python" tests/peers/gpt2.py build/release/tests/test_store || true
  check "images" "$peers/bin/python" tests/peers/images.py build/release/tests/test_sources \
    "$LVTEXT_DATA_MIRROR" || true
  check "sbert" "$peers/bin/python" tests/peers/sbert.py build/release/lvtext \
    "$LVTEXT_DATA_MIRROR" || true
  check "senteval" "$peers/bin/python" tests/peers/senteval.py build/release/lvtext \
    "$LVTEXT_DATA_MIRROR" || true
  check "transport" "$peers/bin/python" tests/peers/transport.py build/release/tests/test_metrics || true
  check "word_piece" "$peers/bin/python" tests/peers/word_piece.py build/release/tests/test_text \
    "$LVTEXT_DATA_MIRROR" || true
fi
report
