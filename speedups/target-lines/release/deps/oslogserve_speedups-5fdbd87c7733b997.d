/work/lead/speedups/target-lines/release/deps/oslogserve_speedups-5fdbd87c7733b997.d: src/lib.rs src/anchor.rs src/ansi.rs src/cursor.rs src/filter.rs src/fragments.rs src/grammar.rs src/head.rs src/html.rs src/inherited.rs src/jsonl.rs src/line_buffer.rs src/lines.rs src/links.rs src/members.rs src/opening.rs src/output.rs src/recognise.rs src/renderer.rs src/search.rs src/select.rs src/selection.rs src/shapes.rs src/summary.rs src/text.rs src/times.rs src/user_formats.rs src/view.rs Cargo.toml

/work/lead/speedups/target-lines/release/deps/liboslogserve_speedups-5fdbd87c7733b997.rmeta: src/lib.rs src/anchor.rs src/ansi.rs src/cursor.rs src/filter.rs src/fragments.rs src/grammar.rs src/head.rs src/html.rs src/inherited.rs src/jsonl.rs src/line_buffer.rs src/lines.rs src/links.rs src/members.rs src/opening.rs src/output.rs src/recognise.rs src/renderer.rs src/search.rs src/select.rs src/selection.rs src/shapes.rs src/summary.rs src/text.rs src/times.rs src/user_formats.rs src/view.rs Cargo.toml

src/lib.rs:
src/anchor.rs:
src/ansi.rs:
src/cursor.rs:
src/filter.rs:
src/fragments.rs:
src/grammar.rs:
src/head.rs:
src/html.rs:
src/inherited.rs:
src/jsonl.rs:
src/line_buffer.rs:
src/lines.rs:
src/links.rs:
src/members.rs:
src/opening.rs:
src/output.rs:
src/recognise.rs:
src/renderer.rs:
src/search.rs:
src/select.rs:
src/selection.rs:
src/shapes.rs:
src/summary.rs:
src/text.rs:
src/times.rs:
src/user_formats.rs:
src/view.rs:
Cargo.toml:

# env-dep:CARGO_PKG_VERSION=0.1.0
# env-dep:CLIPPY_ARGS=--deny__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
# env-dep:CLIPPY_CONF_DIR
