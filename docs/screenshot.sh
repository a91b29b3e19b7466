#!/usr/bin/env bash
# Makes docs/src/images/diagram.png anew: the page of the guide's first counterexample in Chromium, with step 10
# selected. Look at it afterwards; tests/guide.rs holds its size.
set -euo pipefail
cd "$(dirname "$0")/.."

# It fails, and saves the page.
cargo test --test guide -- answers::answers_belong_to_their_requests --exact --include-ignored > /dev/null 2>&1 || true

target="${CARGO_TARGET_DIR:-target}"
page="$(mktemp --suffix .html)"
trap 'rm -f "$page"' EXIT
press='for (let step = 1; step <= 10; step++) document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown" }));'
sed -e "s|$(realpath "$target")/|target/|g" -e "s|</body>|<script>$press</script></body>|" \
    "$target/netcheck/guide-answers-answers_belong_to_their_requests.html" > "$page"
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1200,620 \
    --screenshot=docs/src/images/diagram.png "file://$page"
