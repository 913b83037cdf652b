for answer in equal low high low; do
  read -r request && echo "{\"outputs\": {\"answer\": \"$answer\"}}"
done
