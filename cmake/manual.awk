# Makes a manual page of what a program prints for --help:
#
#   awk -f manual.awk -v name="sumac run" -v version=0.1.0
#
# First what it does, then "Usage:", then lists of options and commands in two columns under titles.
# What follows them, examples and exit codes, stays as it is.
function escaped(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  return text ~ /^[.']/ ? "\\&" text : text
}
function section(title) { print ".SH " toupper(title) }
function finishVerbatim() {
  if (is_verbatim) print ".fi"
  is_verbatim = 0
}
function entry(line,  gap, what) {
  line = substr(line, 3)
  gap = match(line, /  +/)
  what = gap ? substr(line, RSTART + RLENGTH) : ""
  print ".TP"
  print "\\fB" escaped(gap ? substr(line, 1, gap - 1) : line) "\\fR"
  if (what != "") print escaped(what)
}

BEGIN {
  page = name
  gsub(/ /, "-", page)
  printf ".TH \"%s\" 1 \"\" \"Sumac %s\" \"Sumac\"\n", toupper(page), version
}

/^Usage: / && !has_usage {
  summary = about
  sub(/\.( .*|$)/, "", summary)
  section("name"); print escaped(page) " \\- " escaped(summary)
  section("synopsis"); print escaped(substr($0, 8))
  section("description"); print escaped(about)
  has_usage = 1
  next
}
!has_usage { about = about (about == "" || $0 == "" ? "" : " ") $0; next }

/^(Examples|Exit codes):$/ { finishVerbatim(); section(substr($0, 1, length($0) - 1)); has_footer = 1; next }
!has_footer && /^[A-Z][A-Za-z ]*:$/ { section(substr($0, 1, length($0) - 1)); next }
!has_footer && /^  [^ ]/ { entry($0); next }
!has_footer && /^          / { sub(/^ +/, ""); print escaped($0); next }
!has_footer && $0 == "" { next }
!has_footer { has_footer = 1; section("notes") }
{
  if (!is_verbatim && $0 == "") next
  if (!is_verbatim) print ".nf"
  is_verbatim = 1
  print escaped($0)
}
END { finishVerbatim() }
