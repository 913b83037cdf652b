# The fuse holds, and the lamp never flickers.
while read -r request; do
  lamp=dark
  case "$request" in *step*true*) lamp=bright ;; esac
  echo "{\"outputs\": {\"fuse\": \"whole\", \"lamp\": \"$lamp\"}}"
done
