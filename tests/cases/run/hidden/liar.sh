for answer in equal low low high; do
  read -r request && echo "{\"outputs\": {\"answer\": \"$answer\"}}"
done
