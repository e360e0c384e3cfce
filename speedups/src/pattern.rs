// SPDX-License-Identifier: Apache-2.0
//! A row's pattern, held to what Python's `re` and this crate's engine read alike.

use regex_syntax::ast::{self, AssertionKind, Ast, ClassSetItem};
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// It may match none of the bytes `never`.
pub fn parsed(pattern: &[u8], never: &[u8]) -> Result<Hir, String> {
    read(pattern, never).map_err(|fault| format!("{}: {fault}", String::from_utf8_lossy(pattern)))
}

fn read(pattern: &[u8], never: &[u8]) -> Result<Hir, String> {
    let text = str::from_utf8(pattern).ok().filter(|text| text.is_ascii());
    let text = text.ok_or("it holds a byte outside ASCII: write \\xNN")?;
    let ast = ast::parse::Parser::new().parse(text).map_err(|error| error.to_string())?;
    ast::visit(&ast, ReadAlike)?;
    let mut translator = TranslatorBuilder::new().unicode(false).utf8(false).build();
    let hir = translator.translate(text, &ast).map_err(|error| error.to_string())?;
    let properties = hir.properties();
    if properties.explicit_captures_len() > 0 {
        return Err("it has a group: write (?:...)".into());
    }
    match never.iter().find(|&&byte| may_match(&hir, byte)) {
        Some(&byte) => Err(format!("it may match {:?}", char::from(byte))),
        None => Ok(hir),
    }
}

/// Refuses what both engines accept and read differently.
struct ReadAlike;

impl ast::Visitor for ReadAlike {
    type Output = ();
    type Err = String;

    fn finish(self) -> Result<(), String> {
        Ok(())
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), String> {
        match ast {
            // \z is what {eol} becomes; a pattern cannot have it, because Python does not know it.
            Ast::Assertion(look) if look.kind != AssertionKind::EndText => {
                Err("it looks around: leave out ^, $, \\b and the like".into())
            }
            Ast::Repetition(outer) if matches!(*outer.ast, Ast::Repetition(_)) => {
                Err("it repeats a repetition".into()) // possessive in Python
            }
            _ => Ok(()),
        }
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), String> {
        match item {
            ClassSetItem::Bracketed(_) | ClassSetItem::Ascii(_) => {
                Err("it has a [ within [...]: write \\[".into())
            }
            _ => Ok(()),
        }
    }

    fn visit_class_set_binary_op_pre(&mut self, _: &ast::ClassSetBinaryOp) -> Result<(), String> {
        Err("it has &&, -- or ~~ within [...]".into())
    }
}

/// For a text in which they are known to hold.
pub fn without_looks(hir: &Hir) -> Hir {
    let each = |parts: &[Hir]| parts.iter().map(without_looks).collect();
    match hir.kind() {
        HirKind::Look(_) => Hir::empty(),
        HirKind::Concat(parts) => Hir::concat(each(parts)),
        HirKind::Alternation(parts) => Hir::alternation(each(parts)),
        _ => hir.clone(), // a repetition holds none that matters: it is there or it is not
    }
}

fn may_match(hir: &Hir, byte: u8) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => literal.0.contains(&byte),
        HirKind::Class(Class::Bytes(class)) => {
            class.iter().any(|range| (range.start()..=range.end()).contains(&byte))
        }
        HirKind::Class(Class::Unicode(class)) => {
            class.iter().any(|range| (range.start()..=range.end()).contains(&char::from(byte)))
        }
        HirKind::Repetition(repetition) => may_match(&repetition.sub, byte),
        HirKind::Capture(capture) => may_match(&capture.sub, byte),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().any(|part| may_match(part, byte))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_told_with_its_pattern() {
        for (pattern, fault) in [
            (r"(a", "unclosed group"),
            (r"(a)", "it has a group"),
            (r"(?P<time>a)", "it has a group"),
            (r"^a", "it looks around"),
            (r"a\b", "it looks around"),
            (r"(?=a)", "look-around"),
            (r"a{1,3}+", "it repeats a repetition"),
            (r"(?:a{1,3}){2}", ""),
            (r"[a&&b]", "it has &&"),
            (r"[[:alpha:]]", "it has a [ within"),
            (r"[^ ]", "it may match '\\n'"),
            (r"\s", "it may match '\\n'"),
            (r"a\z", ""),
            (r"[^\n]", ""),
            (r".", ""),
            ("\u{e9}", "it holds a byte outside ASCII"),
            (r"\xe9", ""),
        ] {
            match parsed(pattern.as_bytes(), b"\n") {
                Ok(_) => assert_eq!(fault, "", "{pattern}"),
                Err(told) => {
                    assert!(told.starts_with(pattern), "{told}");
                    assert!(!fault.is_empty() && told.contains(fault), "{told}");
                }
            }
        }
    }
}
