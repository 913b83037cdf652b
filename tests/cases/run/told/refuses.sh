read -r request
echo '{"outputs": {"y": 0}}'
read -r request
echo '{"refused": "busy"}'
