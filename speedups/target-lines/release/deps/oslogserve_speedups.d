/work/lead/speedups/target-lines/release/deps/oslogserve_speedups.d: src/lib.rs src/anchor.rs src/ansi.rs src/cursor.rs src/filter.rs src/fragments.rs src/grammar.rs src/head.rs src/html.rs src/inherited.rs src/jsonl.rs src/line_buffer.rs src/lines.rs src/links.rs src/members.rs src/opening.rs src/output.rs src/recognise.rs src/renderer.rs src/search.rs src/select.rs src/selection.rs src/shapes.rs src/summary.rs src/text.rs src/times.rs src/user_formats.rs src/view.rs

/work/lead/speedups/target-lines/release/deps/liboslogserve_speedups.so: src/lib.rs src/anchor.rs src/ansi.rs src/cursor.rs src/filter.rs src/fragments.rs src/grammar.rs src/head.rs src/html.rs src/inherited.rs src/jsonl.rs src/line_buffer.rs src/lines.rs src/links.rs src/members.rs src/opening.rs src/output.rs src/recognise.rs src/renderer.rs src/search.rs src/select.rs src/selection.rs src/shapes.rs src/summary.rs src/text.rs src/times.rs src/user_formats.rs src/view.rs

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

# env-dep:CARGO_PKG_VERSION=0.1.0
