# cmake -DOUT=file.cpp -DNAMESPACE=a::b -DHEADER=path -DTEXTS=name=file|name=file -P EmbedText.cmake
# Writes a source that defines each text as a std::string_view, so that the library needs no file at run time.
set(_source "// Made by EmbedText.cmake; edit the files it is made from.\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n")
string(REPLACE "|" ";" _texts "${TEXTS}")
foreach(_text IN LISTS _texts)
  string(REGEX MATCH "^([^=]+)=(.*)$" _ "${_text}")
  file(READ "${CMAKE_MATCH_2}" _content)
  string(APPEND _source "const std::string_view ${CMAKE_MATCH_1} = R\"~~~(${_content})~~~\";\n")
endforeach()
file(WRITE "${OUT}" "${_source}}  // namespace ${NAMESPACE}\n")
