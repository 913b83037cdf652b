echo '{"outputs": {"y": 0}}'
read -r request
read -r request
echo '{"refused": "busy"}'
