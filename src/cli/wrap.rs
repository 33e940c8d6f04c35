//! Lines that fit the terminal: broken between words, not where the window happens to end.

/// How much farther in the rest of a broken line stands.
const DEEPER: usize = 4;

/// The text with every line that is wider than `width` broken between words. The rest of a line
/// stands under its beginning, a little farther in. Colours take no room.
pub(super) fn wrapped(text: &str, width: usize) -> String {
    let mut all = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if console::measure_text_width(line.trim_end()) <= width {
            all.push_str(line);
        } else {
            push_broken(line.trim_end(), width, &mut all);
            all.push('\n');
        }
    }
    all
}

fn push_broken(line: &str, width: usize, all: &mut String) {
    let indent = line.len() - line.trim_start().len();
    let (start, words) = line.split_at(indent);
    all.push_str(start);
    let (mut column, mut first) = (indent, true);
    // Several spaces in a row make columns; they stay with the word before them.
    for word in words.split_inclusive(' ') {
        let room = console::measure_text_width(word.trim_end());
        if !first && column + room > width {
            while all.ends_with(' ') {
                all.pop();
            }
            all.push('\n');
            all.extend(std::iter::repeat_n(' ', indent + DEEPER));
            column = indent + DEEPER;
            if word == " " {
                continue;
            }
        }
        all.push_str(word);
        column += console::measure_text_width(word);
        first = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_columns_kept() {
        let text = "PASS a  fine\n     search     93.5 %  1,546,938 counterexamples among 1,653,885\n\nend";
        let wanted = "PASS a  fine\n     search     93.5 %  1,546,938\n         counterexamples among\n         1,653,885\n\nend";
        assert_eq!(wrapped(text, 37), wanted);
        assert_eq!(wrapped(text, 80), text);
    }

    #[test]
    fn colours_take_no_room_and_long_words_stay_whole() {
        let text = "\u{1b}[31m\u{1b}[1mFAIL\u{1b}[0m name  12345678901234567890 x\n";
        let wanted = "\u{1b}[31m\u{1b}[1mFAIL\u{1b}[0m name\n    12345678901234567890\n    x\n";
        assert_eq!(wrapped(text, 12), wanted);
        assert_eq!(wrapped("  abcdefghij\n", 6), "  abcdefghij\n");
    }

    #[test]
    fn nothing_is_wider_than_the_terminal_if_words_are_not() {
        let words = "     one two three four  five   six seven eight nine ten eleven twelve\n";
        for width in 20..80 {
            for line in wrapped(words, width).lines() {
                assert!(line.len() <= width, "{width}: {line:?}");
            }
        }
    }
}
