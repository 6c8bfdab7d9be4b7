#include <iostream>

// Wrong on purpose: all threads add to one sum.
int main() {
  int sum = 0;
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 1000; ++i) sum += i;
  std::cout << sum << '\n';
}
